// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <cmath>

namespace roofline::grader {
namespace {

// y[i] = a*x[i] + b; S = |a*x[i]| + |b|.
void reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const double a = call.scalar("a"), b = call.scalar("b");
  for (auto i = begin; i < end; ++i) expected[i - begin] = {a * x[i] + b, std::abs(a * x[i]) + std::abs(b)};
}

// One rounding with an FMA, two without: c = 2 accepts both.
const Program kProgram = {
    .header = "pointwise.h",
    .source = "pointwise.cu",
    .function = "pointwise",
    .arguments = {in("x", "n"), out("y", "n"), scalar("a"), scalar("b"), size("n"), stream()},
    .outputs = {{.argument = "y", .reference = reference, .tolerance = {.c = 2}}},
};

// One element more than blocks of any usual size cover: a number of blocks that is rounded up as a float,
// which has 24 bits, leaves it out.
Value timed_elements() {
  const Value whole = l2_multiple({.simulated = 5, .gpu = 16, .bytes_per_element = 8});
  return Value([whole](const DeviceFacts& device) { return whole.at(device) + 1; });
}

// Beyond 2^31 elements a 32-bit index overflows. In place: 8.6 GB instead of 17.2.
const Case kHuge = {
    .id = "beyond-2^31",
    .title = "n = 2^31 + 1027, in place",
    .settings = {{"n", 2147484675.0}},
    .alias = {{"y", "x"}},
    .gpu_only = true,
    .needs_memory = 12'000'000'000,
};

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {
      .title = "pointwise: the memory wall",
      .parts = {{
          .program = kProgram,
          .cases = common_cases({.more_sizes = {127, 128, 129, 1025, 4095, 4097}, .in_place = {{"y", "x"}}}) +
                   std::vector<Case>{kHuge},
          .goals = {{.id = "bandwidth",
                     .title = "8 bytes an element, at the copy roof",
                     .settings = {{"n", timed_elements()}},
                     .roof = "copy",
                     .work = [](const Settings& s) { return 8 * s["n"]; },
                     .flops = [](const Settings& s) { return 2 * s["n"]; },
                     .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
          .shown = {{.id = "inside-l2",
                     .title = "the trap: an array that fits into L2, where no byte comes from DRAM",
                     .settings = {{"n", l2_multiple({.simulated = 0.5, .gpu = 0.5, .bytes_per_element = 8})}},
                     .roof = "copy",
                     .work = [](const Settings& s) { return 8 * s["n"]; }}},
          .structure = {one_kernel(), coalesced(1.10)},
          .steps =
              {{.id = "right",
                .title = "every element is right, be it with one thread",
                .how = "One thread may walk over the whole array: <<<1, 1>>> and a loop are enough.",
                .measurement = "bandwidth"},
               {.id = "block",
                .title = "one block: 32 warps wait at the same time",
                .how = "Start one block of 1024 threads, each of which takes every 1024th element.",
                .measurement = "bandwidth",
                .at_least = 0.002},
               {.id = "grid",
                .title = "the grid: blocks on every SM",
                .how = "Start as many blocks as n needs, a thread an element.",
                .measurement = "bandwidth",
                .at_least = 0.60,
                .checks = {"coalesced"}},
               {.id = "roof",
                .title = "the copy roof",
                .how = "Which addresses does a warp touch in one access, and how many loads wait at once?",
                .measurement = "bandwidth",
                .at_least = 0.90},
               {.id = "wide",
                .title = "the roof of the H200, three times as far away",
                .how = "More bytes must be in flight than one float a thread brings: load 16 bytes at once, "
                       "or give each thread several independent elements.",
                .measurement = "bandwidth-h200",
                .at_least = 0.90}},
          .second_device = "h200",
          .predictions = {{.key = "bytes_per_element",
                           .question = "DRAM bytes moved for one element",
                           .expected = 8,
                           .unit = "B"},
                          {.key = "flop_per_byte",
                           .question = "arithmetic intensity of y = a*x + b",
                           .expected = 0.25,
                           .unit = "FLOP/B"},
                          {.key = "regime", .question = "compute, memory or overhead?", .word = "memory"},
                          {.key = "microseconds",
                           .question =
                               "time for n = 2^26 elements on the A100-40 at its data-sheet bandwidth",
                           .expected = 345.3,
                           .factor = 1.25,
                           .unit = "us"}},
      }},
  };
}

}  // namespace roofline::grader
