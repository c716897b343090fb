// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/peer_roofs.h"

namespace roofline::grader {
namespace {

constexpr unsigned kGpus = 4;
constexpr double kRingSteps = 6;  ///< of an all-reduce on so many GPUs
constexpr double kChunk = 4 * 1024 * 1024;

/// What came last is as many steps old as the chunk has travelled.
Output arrived(unsigned gpu) {
  const std::string name = "[" + std::to_string(gpu) + "]";
  return {.argument = "y" + name,
          .reference =
              [gpu](const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
                const auto chunk = static_cast<std::uint64_t>(call.scalar("chunk"));
                const auto steps = static_cast<std::uint64_t>(call.scalar("steps"));
                for (auto i = begin; i < end; ++i) {
                  // The last step of this parity, from 1: so many GPUs back is where its chunk began.
                  const std::uint64_t step = steps - (i / chunk == (steps - 1) % 2 ? 0 : 1);
                  const std::uint64_t from = (gpu + kGpus * steps - step) % kGpus;
                  expected[i - begin] = {call.input<float>("x[" + std::to_string(from) + "]")[i % chunk], 0};
                }
              },
          .tolerance = {.c = 0}};
}

}  // namespace

std::vector<Roof> peer_roofs() {
  std::vector<Output> outputs;
  for (unsigned gpu = 0; gpu < kGpus; ++gpu) outputs.push_back(arrived(gpu));
  const auto two = [](const Settings& s) { return 2 * s["chunk"]; };
  return {{.id = "peer-ring",
           .title = "a ring of four GPUs: 16 MiB from each to the next, six times",
           .unit = "GB/s",
           .program = {.header = "peer_ring.h",
                       .source = "peer_ring.cu",
                       .function = "peer_ring_roof",
                       .arguments = joined({on_each_gpu(kGpus, in("x", "chunk")),
                                            on_each_gpu(kGpus, out("y", two)),
                                            {size("steps", Type::kS32), size("chunk")},
                                            on_each_gpu(kGpus, stream())}),
                       .outputs = std::move(outputs),
                       // The copy engines alone: no kernel has to run.
                       .host_memory = [](const Settings&) { return 4096; },
                       .gpus = kGpus},
           .settings = {{"steps", kRingSteps}, {"chunk", kChunk}},
           .work = [](const Settings& s) { return 4 * s["steps"] * s["chunk"]; }}};
}

}  // namespace roofline::grader
