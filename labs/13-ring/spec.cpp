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

#include "grader/lab/gradients.h"

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

/// An output on one GPU, which has the bits of GPU 0's.
Output sum_on(const std::string& name, unsigned gpu, const Reference& reference, double roundings) {
  return {.argument = on(name, gpu),
          .reference = reference,
          .tolerance = {.c = roundings},
          .same_bits_as = gpu == 0 ? "" : on(name, 0)};
}

std::vector<Output> the_same_on_all(const std::string& name, const Reference& reference, double roundings) {
  std::vector<Output> outputs;
  for (unsigned gpu = 0; gpu < kGpus; ++gpu) outputs.push_back(sum_on(name, gpu, reference, roundings));
  return outputs;
}

/// What each GPU has to send, and to receive: no all-reduce needs less.
double ring_bytes(const Settings& s) { return 2.0 * (kGpus - 1) / kGpus * 4 * s["n"]; }

// ---- A: the ring ----

std::vector<Case> ring_cases() {
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

Goal ring_goal() {
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

std::vector<Prediction> ring_predictions() {
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

std::vector<Step> ring_steps() {
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

Part ring() {
  return {
      .letter = "a",
      .title = "ring A: the sum of four arrays, on four GPUs",
      .program = {.header = "all_reduce.h",
                  .source = "all_reduce.cu",
                  .function = "all_reduce",
                  .arguments = joined({on_each_gpu(kGpus, in("x", "n")),
                                       on_each_gpu(kGpus, out("y", "n")),
                                       {size("n")},
                                       on_each_gpu(kGpus, stream())}),
                  .outputs = the_same_on_all("y", sum_of_all, kGpus),
                  .device_memory = [](const Settings&) { return 0; },
                  .gpus = kGpus},
      .cases = ring_cases(),
      .goals = {ring_goal()},
      .structure = {each_gpu_sends(1.05, ring_bytes), host_does_not_wait()},
      .steps = ring_steps(),
      .predictions = ring_predictions(),
      .adapter = "all_reduce_worker.cu",
  };
}

// ---- B: buckets beside a backward pass ----

/// A product, and any order of adding: kGpus roundings.
void sum_of_gradients(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  sum_of_all(call, begin, end, expected);
  const double scale = call.scalar("scale");
  for (auto i = begin; i < end; ++i) {
    expected[i - begin].value *= scale;
    expected[i - begin].magnitude *= std::abs(scale);
  }
}

std::vector<Case> bucket_cases() {
  std::vector<Case> cases;
  const auto add = [&](double n, double layers, double bucket, const std::string& tells = "") {
    cases.push_back({.id = whole(n) + "-in-" + whole(layers) + "-by-" + whole(bucket),
                     .title = whole(n) + (n == 1 ? " gradient of " : " gradients of ") + whole(layers) +
                              (layers == 1 ? " layer" : " layers") + ", " + whole(bucket) + " a bucket",
                     .settings = backward_settings(n, layers, bucket)});
    cases.back().tells = tells;
  };
  add(4096, 4, 1000, "several buckets");
  add(1000, 1, 1000);
  add(4096, 4, 5000);
  add(4096, 8, 1);
  add(1021, 3, 400, "a last bucket that is not full");
  add(257, 16, 100, "layers without weights");
  add(3, 2, 1);
  add(0, 4, 8);
  add(65'539, 8, 20'000, "sums that do not wait for the backward pass");
  add(16'384, 12, 4096);
  add(10'007, 5, 1500);
  for (const unsigned by : {1U, 2U, 3U}) {
    add(1500, 4, 500);
    cases.back().id = "misaligned-" + std::to_string(by);
    cases.back().title =
        "pointers " + std::to_string(by) + (by == 1 ? " element" : " elements") + " past an aligned address";
    cases.back().misaligned_elements = by;
  }
  return cases;
}

Part buckets() {
  return {
      .letter = "b",
      .title = "ring B: sums of gradients beside the backward pass",
      .program = {.header = "buckets.h",
                  .source = "buckets.cu",
                  .function = "backward_and_sum",
                  .arguments = backward_arguments(kGpus),
                  .outputs = the_same_on_all("sums", sum_of_gradients, kGpus + 1),
                  .device_memory = [](const Settings&) { return 0; },
                  .gpus = kGpus,
                  .arrays_move_together = true},
      .cases = bucket_cases(),
      .overlaps = {{.id = "overlap",
                    .title = "the sums of 8 layers hidden behind the backward pass",
                    .settings = timed_backward(),
                    .kernels = {"backward", backward_flops},
                    .copies = {{"peer-ring", ring_bytes}},
                    .thresholds = {{0, {.pass = 0.50, .good = 0.65, .excellent = 0.75}}}}},
      .structure = {backward_done(kGpus), each_gpu_sends(1.05, ring_bytes), host_does_not_wait()},
      .steps = {{.id = "in-turn",
                 .title = "right, with one bucket behind the pass",
                 .how =
                     "Launch all layers, record an event, sum everything in streams of its own, and let the "
                     "given streams wait for that.",
                 .checks = {"backward", "share", "host-waits"}},
                {.id = "beside",
                 .title = "sums run beside the pass",
                 .how = "A sum for each full bucket, and kernels with fewer blocks than the GPU has SMs.",
                 .measurement = "overlap",
                 .at_least = 0.50,
                 .checks = {"backward", "share"}},
                {.id = "sized",
                 .title = "buckets that are neither too many nor too large",
                 .how = "How long does the start of a sum take, the host's launches included? And what can "
                        "nothing hide, where the links keep up and where they do not?",
                 .measurement = "overlap",
                 .at_least = 0.75,
                 .checks = {"backward", "share", "host-waits"}}},
      .predictions = {{.key = "b_serial_ms",
                       .question = "a pass of 4 ms, then the sum of 256 MB of gradients",
                       .expected = 5.482,
                       .factor = 1.01,
                       .unit = "ms"},
                      {.key = "b_layers_ms",
                       .question = "a sum for each of 200 equal layers, beside the pass",
                       .expected = 13.44,
                       .factor = 1.01,
                       .unit = "ms"},
                      {.key = "b_bucket_mb",
                       .question = "the smallest bucket whose sum takes no longer than its part of the pass",
                       .expected = 5.96,
                       .factor = 1.05,
                       .unit = "MB"},
                      {.key = "b_best_ms",
                       .question = "and with buckets of this size, until the last sum is there",
                       .expected = 4.093,
                       .factor = 1.005,
                       .unit = "ms"},
                      {.key = "b_blocks",
                       .question =
                           "a layer is launched while a sum's kernel fills all SMs: does it run beside "
                           "that kernel, or behind it?",
                       .word = "behind"}},
      .adapter = "buckets_worker.cu",
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "ring: the fourth regime, communication", .parts = {ring(), buckets()}};
}

}  // namespace roofline::grader
