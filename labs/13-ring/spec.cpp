// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace roofline::grader {
namespace {

constexpr unsigned kGpus = 4;

std::string on(const std::string& name, unsigned gpu) { return name + "[" + std::to_string(gpu) + "]"; }

/// Any order of adding rounds kGpus - 1 times.
void sum_of_all(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  std::array<std::span<const float>, kGpus> x;
  for (unsigned gpu = 0; gpu < kGpus; ++gpu) x[gpu] = call.input<float>(on("x", gpu));
  for (auto i = begin; i < end; ++i) {
    Expected sum;
    for (const auto& part : x) {
      sum.value += part[i];
      sum.magnitude += std::abs(part[i]);
    }
    expected[i - begin] = sum;
  }
}

Output sum_on(unsigned gpu) {
  return {.argument = on("y", gpu),
          .reference = sum_of_all,
          .tolerance = {.c = kGpus},
          .same_bits_as = gpu == 0 ? "" : on("y", 0)};
}

std::vector<Output> the_same_sum() {
  std::vector<Output> outputs;
  for (unsigned gpu = 0; gpu < kGpus; ++gpu) outputs.push_back(sum_on(gpu));
  return outputs;
}

/// What each GPU has to send, and to receive: no all-reduce needs less.
double ring_bytes(const Settings& s) { return 2.0 * (kGpus - 1) / kGpus * 4 * s["n"]; }

std::vector<Case> cases() {
  std::vector<Case> list = common_cases({.sizes = {0, 1, 2, 3, 4, 5, 7, 31, 32, 33, 255, 257, 1021, 4096},
                                         .more_sizes = {16'384, 65'539},
                                         .misaligned = {1, 2, 3},
                                         .special_values = false});
  // Fewer elements than GPUs come last: whoever rounds down does nothing there, and more than that elsewhere.
  std::ranges::rotate(list, list.begin() + kGpus);
  for (Case& each : list) {
    if (each.id == "n-3") each.tells = "fewer elements than GPUs";
    if (each.id == "n-257") each.tells = "sizes that the number of GPUs does not divide";
    if (each.id == "n-65539") each.tells = "work that does not wait for other GPUs";
  }
  return list;
}

Goal goal() {
  // 32 MiB a GPU, so that a chunk takes three times as long as a copy's start; on GPUs 256 MiB, nearly the
  // page's 256 MB.
  const Value elements([](const DeviceFacts& device) { return (device.simulated ? 8.0 : 64.0) * (1 << 20); });
  return {.id = "ring",
          .title = "2 (N - 1) / N of the bytes through every link, each way, at the peer ring's rate",
          .settings = {{"n", elements}},
          .roof = "peer-ring",
          .work = ring_bytes,
          .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}};
}

std::vector<Prediction> predictions() {
  return {{.key = "send_mb", .question = "MB that each GPU sends in a ring", .expected = 384, .unit = "MB"},
          {.key = "ring_ms",
           .question = "time of the ring, if links are the only limit",
           .expected = 1.422,
           .factor = 1.03,
           .unit = "ms"},
          {.key = "one_gpu_ms",
           .question = "and through one GPU, which receives all others and sends to all others",
           .expected = 5.689,
           .factor = 1.03,
           .unit = "ms"},
          {.key = "steps", .question = "steps of the ring, one after the other", .expected = 6},
          {.key = "half_mb",
           .question = "the array for which a step spends 10 us on its start and 10 us on its bytes",
           .expected = 10.8,
           .factor = 1.05,
           .unit = "MB"},
          {.key = "tokens",
           .question = "tokens a GPU for each step at which 312 TFLOP/s take as long as the all-reduce",
           .expected = 578,
           .factor = 1.05},
          {.key = "tensor",
           .question = "tensor parallel, d = 8192, over PCIe: which takes longer, compute or link?",
           .word = "link"},
          {.key = "small", .question = "an array of 64 KB: latency or bandwidth?", .word = "latency"}};
}

std::vector<Step> steps() {
  return {{.id = "everywhere",
           .title = "the sum is on all GPUs, be it by way of one",
           .how = "GPU 0 adds up all arrays, the others fetch the sum; one event says when it is there.",
           .measurement = "ring"},
          {.id = "ring",
           .title = "every link carries its share",
           .how = "Chunks, and neighbours alone: a copy, an addition, an event.",
           .measurement = "ring",
           .at_least = 0.60,
           .checks = {"share"}},
          {.id = "one-kernel",
           .title = "links that are never idle",
           .how = "A kernel that reads the neighbour's memory copies and adds at the same time.",
           .measurement = "ring",
           .at_least = 0.90,
           .checks = {"share", "host-waits"}}};
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {
      .title = "ring: the fourth regime, communication",
      .parts = {{
          .program = {.header = "all_reduce.h",
                      .source = "all_reduce.cu",
                      .function = "all_reduce",
                      .arguments = joined({on_each_gpu(kGpus, in("x", "n")),
                                           on_each_gpu(kGpus, out("y", "n")),
                                           {size("n")},
                                           on_each_gpu(kGpus, stream())}),
                      .outputs = the_same_sum(),
                      .device_memory = [](const Settings&) { return 0; },
                      .gpus = kGpus},
          .cases = cases(),
          .goals = {goal()},
          .structure = {each_gpu_sends(1.05, ring_bytes), host_does_not_wait()},
          .steps = steps(),
          .predictions = predictions(),
          .adapter = "all_reduce_worker.cu",
      }},
  };
}

}  // namespace roofline::grader
