// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/gradients.h"

#include <algorithm>
#include <cmath>

#include "grader/base/symbol_name.h"
#include "grader/lab/case.h"

namespace roofline::grader {
namespace {

/// Threads of a layer's chain, two operations for each multiply-add, and clocks from one to the next on every
/// GPU that there is a file of.
constexpr double kBackwardThreads = 128, kFlopsAFma = 2, kClocks = 4;

constexpr double kLayers = 8, kLayerUs = 60;

/// Operations that take so many microseconds; on a GPU eight times as many, beside eight times the bytes.
double operations(const DeviceFacts& device) {
  return (device.simulated ? 1 : 8) * std::floor(kLayerUs * device.clock_mhz / kClocks / 16) * 16;
}

/// Clocks of the block that takes longest, which may be none of those that were sampled.
double longest(const sim::KernelCounters& counters) {
  return std::max(std::min(counters.block_cycles_l2, counters.block_cycles_dram),
                  std::min(counters.longest_cycles_l2, counters.longest_cycles_dram));
}

}  // namespace

std::vector<Argument> backward_arguments(unsigned gpus) {
  const auto all = [](const Settings& s) { return s["n"]; };
  return joined(
      {on_each_gpu(gpus, in("x", "n")),
       on_each_gpu(gpus, scratch("gradients", all)),
       on_each_gpu(gpus, out("sums", "n")),
       {size("n"), size("layers", Type::kS32), scalar("scale"), size("work", Type::kS32), size("bucket")},
       on_each_gpu(gpus, stream())});
}

NamedValues backward_settings(double n, double layers, double bucket) {
  return {{"n", n}, {"layers", layers}, {"work", 64}, {"bucket", bucket}};
}

NamedValues timed_backward() {
  return {{"n", Value([](const DeviceFacts& device) { return (device.simulated ? 8.0 : 64.0) * (1 << 20); })},
          {"layers", kLayers},
          {"work", Value(operations)},
          {"bucket", 0}};
}

double backward_flops(const Settings& s) { return kFlopsAFma * kBackwardThreads * s["work"] * s["layers"]; }

StructureCheck backward_done(unsigned gpus) {
  return {"backward", "each GPU runs the whole backward pass",
          [gpus](const Observation& seen) -> std::optional<std::string> {
            constexpr double kRounding = 0.99;
            const double chain = kRounding * kClocks * seen.settings["work"];
            for (unsigned gpu = 0; gpu < gpus; ++gpu) {
              std::vector<std::pair<double, double>> layers;
              for (const sim::KernelRecord& kernel : seen.region.kernels)
                if (kernel.device == gpu &&
                    readable_symbol(kernel.name) == "roofline::gradients::layer<void>" &&
                    longest(kernel.counters) >= chain)
                  layers.emplace_back(kernel.start, kernel.end);
              const std::string on = " layers of the backward pass ran on GPU " + std::to_string(gpu);
              if (static_cast<double>(layers.size()) != seen.settings["layers"])
                return whole(static_cast<double>(layers.size())) + on + " instead of " +
                       whole(seen.settings["layers"]);
              if (const unsigned most = most_at_a_time(layers); most > 1)
                return whole(most) + on + " at the same time: each needs what the one before leaves";
            }
            return std::nullopt;
          }};
}

std::vector<Roof> gradients_roofs() {
  return {
      {.id = "backward",
       .title = "the backward pass of one GPU alone",
       .unit = "TFLOP/s",
       .program = {.header = "backward.h",
                   .source = "backward.cu",
                   .function = "backward_roof",
                   .arguments = {in("x", "n"), out("gradients", "n"), size("n"), size("layers", Type::kS32),
                                 scalar("scale"), size("work", Type::kS32), stream()},
                   .outputs = {{.argument = "gradients",
                                .reference =
                                    [](const CallView& call, std::uint64_t begin, std::uint64_t end,
                                       Expected* expected) {
                                      const auto x = call.input<float>("x");
                                      const double scale = call.scalar("scale");
                                      for (auto i = begin; i < end; ++i)
                                        expected[i - begin] = {scale * x[i], std::abs(scale * x[i])};
                                    },
                                .tolerance = {.c = 1}}}},
       .settings = timed_backward(),
       .work = backward_flops,
       .unit_scale = 1e12,
       .of_hardware = false}};
}

}  // namespace roofline::grader
