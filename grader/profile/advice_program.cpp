// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "grader/base/units.h"
#include "grader/profile/advisor.h"

/// Rules about what happens between kernels.
namespace roofline::grader {
namespace {

using sim::number;

void tiny_launches(const ProgramProfile& program, Advice& advice) {
  const sim::Region& region = program.region;
  const size_t launches = region.kernels.size();
  if (launches < 20 || program.overhead_seconds < region.virtual_seconds * 0.4) return;
  const double mean = program.kernel_seconds / static_cast<double>(launches);
  const double launch = program.device.launch_us * 1e-6;
  if (mean > 3 * launch) return;
  const std::string overhead = percent_text(program.overhead_seconds / region.virtual_seconds) +
                               " of the simulated time is overhead. Give each more work, fuse kernels, or ";
  const auto nodes = static_cast<size_t>(std::ranges::count_if(
      region.kernels, [](const sim::KernelRecord& kernel) { return kernel.graph_launch != 0; }));
  if (2 * nodes > launches) {
    advice.program(0, std::to_string(launches) + " kernels, most of them nodes of graphs, execute for " +
                          time_text(mean) + " each, and follow each other as far apart as nodes do: " +
                          overhead + "let nodes that need not wait for each other run beside each other.");
    return;
  }
  const double saved =
      program.overhead_seconds * (1 - program.device.graph_node_us / (program.device.launch_us + 1e-9));
  advice.program(saved > 0 ? saved : 0, std::to_string(launches) + " launches execute for " +
                                            time_text(mean) +
                                            " each, hardly longer than a launch itself takes: " + overhead +
                                            "capture the sequence in a CUDA Graph and launch that.");
}

void redundant_copies(const ProgramProfile& program, Advice& advice) {
  const sim::Region& region = program.region;
  const double moved = number(region.host_to_device_bytes + region.device_to_host_bytes);
  const double needed = 2 * number(region.device_bytes_peak);
  if (moved < 2 * needed || moved < 1e6 || program.copy_seconds < region.virtual_seconds * 0.2) return;
  // Copies that run beside kernels already cost little.
  if (program.copy_seconds + program.kernel_seconds > 1.2 * region.virtual_seconds) return;
  advice.program(
      program.copy_seconds * (1 - needed / moved),
      bytes_text(moved) + " cross the link between host and device, although the program's arrays take " +
          bytes_text(number(region.device_bytes_peak)) +
          " there. Is it the same data again and again? Leave it on the device between kernels and copy only "
          "what changed or what the host looks at. Is it new each time? Let it travel beside the kernels, "
          "from "
          "pinned memory and in a stream of its own.");
}

}  // namespace

std::vector<AdviceRule> program_rules() {
  return {
      {"tiny-launches", "Launching takes longer than what is launched", tiny_launches},
      {"redundant-copies", "More crosses the link than the device holds", redundant_copies},
  };
}

}  // namespace roofline::grader
