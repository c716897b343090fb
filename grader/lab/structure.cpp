// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/structure.h"

#include <algorithm>

#include "grader/base/symbol_name.h"
#include "grader/base/units.h"

namespace roofline::grader {
namespace {

std::string ratio(double value) { return format_number("%.2f", value); }

std::string kernels_seen(const sim::Region& region) {
  std::string names;
  for (std::size_t i = 0; i < region.kernels.size() && i < 4; ++i)
    names += (i == 0 ? ": " : ", ") + readable_symbol(region.kernels[i].name);
  return std::to_string(region.kernels.size()) + (region.kernels.size() == 1 ? " kernel" : " kernels") +
         " ran" + names;
}

/// Memory that is sized by the task: what the runtime rounds up, and its own few pages, are left out.
std::optional<std::string> more_than(double allowed, double bytes, const std::string& what) {
  constexpr double kSlack = 16 * 1024;
  if (bytes <= allowed + kSlack) return std::nullopt;
  return std::to_string(static_cast<long long>(bytes)) + " bytes of " + what +
         " were held at a time (at most " + std::to_string(static_cast<long long>(allowed)) + ")";
}

}  // namespace

StructureCheck kernels_between(unsigned least, unsigned most) {
  const std::string wanted = least == most ? "exactly " + std::to_string(least)
                                           : std::to_string(least) + " to " + std::to_string(most);
  return {"kernels", wanted + (most == 1 ? " kernel" : " kernels") + " a call",
          [=](const Observation& seen) -> std::optional<std::string> {
            const std::size_t count = seen.region.kernels.size();
            if (count >= least && count <= most) return std::nullopt;
            return kernels_seen(seen.region) + "; " + wanted + " asked for";
          }};
}

unsigned most_at_a_time(const std::vector<std::pair<double, double>>& spans) {
  std::vector<std::pair<double, int>> moments;  // an end sorts before a beginning
  for (const auto& [start, end] : spans) {
    moments.emplace_back(start, 1);
    moments.emplace_back(end, -1);
  }
  std::ranges::sort(moments);
  int now = 0, most = 0;
  for (const auto& [at, change] : moments) most = std::max(most, now += change);
  return static_cast<unsigned>(most);
}

StructureCheck one_kernel() { return kernels_between(1, 1); }

StructureCheck coalesced(double limit) {
  return {"coalesced", "neighbouring threads touch neighbouring addresses",
          [=](const Observation& seen) -> std::optional<std::string> {
            double sectors = 0, ideal = 0;
            for (const auto& kernel : seen.region.kernels) {
              sectors += static_cast<double>(kernel.counters.global_load_sectors +
                                             kernel.counters.global_store_sectors);
              ideal += static_cast<double>(kernel.counters.ideal_sectors);
            }
            if (!(sectors > ideal * limit)) return std::nullopt;
            return "global memory was asked for " + ratio(ideal > 0 ? sectors / ideal : 0) +
                   " times the 32-byte sectors that the data needs (at most " + ratio(limit) + ")";
          }};
}

StructureCheck no_bank_conflicts(double limit) {
  return {"banks", "lanes do not meet in a bank of shared memory",
          [=](const Observation& seen) -> std::optional<std::string> {
            double wavefronts = 0, ideal = 0;
            for (const auto& kernel : seen.region.kernels) {
              wavefronts += static_cast<double>(kernel.counters.shared_wavefronts);
              ideal += static_cast<double>(kernel.counters.ideal_shared_wavefronts);
            }
            if (!(wavefronts > ideal * limit)) return std::nullopt;
            return "shared memory took " + ratio(ideal > 0 ? wavefronts / ideal : 0) +
                   " times the wavefronts that its accesses need (at most " + ratio(limit) +
                   "): lanes of a warp ask one bank for different words";
          }};
}

StructureCheck no_local_memory() {
  return {"registers", "values stay in registers", [](const Observation& seen) -> std::optional<std::string> {
            for (const auto& kernel : seen.region.kernels) {
              // PTX has as many registers as it likes: what ptxas spilled is known from the machine code.
              if (kernel.resources.spill_bytes > 0)
                return readable_symbol(kernel.name) + ": the compiler spilled " +
                       std::to_string(kernel.resources.spill_bytes) + " bytes a thread out of " +
                       std::to_string(kernel.resources.registers) +
                       " registers into local memory: allow more registers (no minimum of blocks in "
                       "__launch_bounds__), or keep fewer values alive";
              if (kernel.counters.local_requests == 0) continue;
              return readable_symbol(kernel.name) + " goes to local memory " +
                     std::to_string(kernel.counters.local_requests) +
                     " times: an array that is indexed at run time, or what printf is given";
            }
            return std::nullopt;
          }};
}

StructureCheck no_new_code() {
  return {
      "cached", "what was compiled once is kept", [](const Observation& seen) -> std::optional<std::string> {
        if (seen.last == nullptr || seen.last->modules_loaded == 0) return std::nullopt;
        return "a call that repeats an earlier one loads code again: keep the kernel and find it by what was "
               "asked for";
      }};
}

StructureCheck no_new_graph() {
  return {"instantiated-once", "a graph is instantiated before the clock runs, not in every run",
          [](const Observation& seen) -> std::optional<std::string> {
            if (seen.region.graphs_instantiated == 0) return std::nullopt;
            return std::to_string(seen.region.graphs_instantiated) +
                   " graph(s) were instantiated while the clock ran: instantiate once in prepare, and update "
                   "what changes";
          }};
}

StructureCheck traffic_at_most(double limit, std::function<double(const Settings&)> required_bytes) {
  return {"traffic", "no byte moves twice",
          [limit, required_bytes =
                      std::move(required_bytes)](const Observation& seen) -> std::optional<std::string> {
            double moved = 0;
            for (const auto& kernel : seen.region.kernels) {
              moved +=
                  static_cast<double>(kernel.counters.dram_read_bytes + kernel.counters.dram_write_bytes);
            }
            const double required = required_bytes(seen.settings);
            if (!(moved > required * limit)) return std::nullopt;
            return ratio(moved / required) + " times the necessary bytes moved to and from DRAM (at most " +
                   ratio(limit) + ")";
          }};
}

StructureCheck over_the_link(double limit, std::function<double(const Settings&)> required_bytes) {
  return {"link", "every byte crosses the link once",
          [limit, required_bytes =
                      std::move(required_bytes)](const Observation& seen) -> std::optional<std::string> {
            const auto crossed = static_cast<double>(seen.region.host_to_device_bytes);
            const double required = required_bytes(seen.settings);
            if (crossed >= required && crossed <= limit * required) return std::nullopt;
            return "copies brought " + ratio(crossed / required) +
                   " times the bytes that the device needs (at least 1, at most " + ratio(limit) + ")";
          }};
}

StructureCheck pinned_at_most(std::function<double(const Settings&)> bytes) {
  return {"pinned-buffers", "pinned memory is kept small",
          [bytes = std::move(bytes)](const Observation& seen) -> std::optional<std::string> {
            return more_than(bytes(seen.settings), static_cast<double>(seen.region.host_visible_bytes),
                             "pinned, mapped or managed memory");
          }};
}

StructureCheck device_memory_at_most(std::function<double(const Settings&)> bytes) {
  return {"device-buffers", "device memory is kept small",
          [bytes = std::move(bytes)](const Observation& seen) -> std::optional<std::string> {
            return more_than(bytes(seen.settings), static_cast<double>(seen.region.device_bytes_peak),
                             "device memory");
          }};
}

StructureCheck each_gpu_sends(double limit, std::function<double(const Settings&)> bytes) {
  return {"share", "each GPU sends and receives its share",
          [limit, bytes = std::move(bytes)](const Observation& seen) -> std::optional<std::string> {
            const double share = bytes(seen.settings);
            for (std::size_t gpu = 0; gpu < seen.region.gpus.size(); ++gpu) {
              const auto sent = static_cast<double>(seen.region.gpus[gpu].sent_bytes),
                         received = static_cast<double>(seen.region.gpus[gpu].received_bytes);
              if (std::max(sent, received) <= limit * share) continue;
              return "GPU " + std::to_string(gpu) + (sent >= received ? " sent " : " received ") +
                     ratio(std::max(sent, received) / share) +
                     " times its share of the bytes between GPUs (at most " + ratio(limit) + ")";
            }
            const double needed = share * static_cast<double>(seen.region.gpus.size());
            double sent = 0;
            for (const auto& gpu : seen.region.gpus) sent += static_cast<double>(gpu.sent_bytes);
            if (sent < needed)
              return "the GPUs sent " + ratio(sent / needed) +
                     " of the bytes that any such result needs: which part of the work was left out?";
            return std::nullopt;
          }};
}

std::uint64_t host_waits(const sim::Region& region) {
  const std::uint64_t own = 1 + region.gpus.size();
  return region.host_waits > own ? region.host_waits - own : 0;
}

StructureCheck host_does_not_wait() {
  return {"host-waits", "streams wait for each other, the host for nothing",
          [](const Observation& seen) -> std::optional<std::string> {
            const std::uint64_t waits = host_waits(seen.region);
            if (waits == 0) return std::nullopt;
            return "the host waited " + std::to_string(waits) + (waits == 1 ? " time" : " times") +
                   " during the call: let streams wait for events (cudaStreamWaitEvent). cudaFree() waits, "
                   "too: allocate once, before the first call";
          }};
}

StructureCheck flops_at_least(std::function<double(const Settings&)> required) {
  // Operations on numbers of less than 16 bits cost too little to be counted beside these.
  using enum sim::FlopType;
  static constexpr sim::FlopType kWholeTypes[] = {kF16,          kF32,        kF64,        kTensorF16,
                                                  kTensorF16F32, kTensorBf16, kTensorTf32, kTensorF64};
  return {"work", "the device does all of the work",
          [required = std::move(required)](const Observation& seen) -> std::optional<std::string> {
            double flops = 0;
            for (const auto& kernel : seen.region.kernels)
              for (const sim::FlopType type : kWholeTypes)
                flops += static_cast<double>(kernel.counters.flops[static_cast<std::size_t>(type)]);
            const double needed = required(seen.settings);
            if (flops >= needed) return std::nullopt;
            return "kernels did " + ratio(flops / needed) +
                   " of the floating-point operations that the task has";
          }};
}

}  // namespace roofline::grader
