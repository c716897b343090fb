// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <cmath>

namespace roofline::grader {
namespace {

constexpr double kAlpha = 0.9990234375, kBeta = 0.5;  // as in intensity.h

// f(v) = beta - alpha*v applied r times is (-alpha)^r * x + beta * (1 - (-alpha)^r) / (1 + alpha).
// S adds the absolute values that each of the r roundings can act on: at most |x| + beta * r in growth, but
// the iterates themselves stay below |x| + 1, so S = |x| + 1 and the bound grows with r.
void reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const double r = call.scalar("repeat");
  const double factor = std::pow(-kAlpha, static_cast<int>(r));
  const double offset = kBeta * (1 - factor) / (1 + kAlpha);
  for (auto i = begin; i < end; ++i) expected[i - begin] = {factor * x[i] + offset, std::abs(x[i]) + 1};
}

const Program kProgram = {
    .header = "intensity.h",
    .source = "intensity.cu",
    .function = "intensity",
    .arguments = {in("x", "n"), out("y", "n"), size("repeat", Type::kS32), size("n"), stream()},
    .outputs = {{.argument = "y",
                 .reference = reference,
                 .tolerance = {.c = 2, .growth = [](const Settings& s) { return s["repeat"]; }}}},
};

// Every repeat at a size with a tail, every common size at repeat 2.
std::vector<Case> cases() {
  auto list = common_cases({.special_values = false, .fixed = {{"repeat", 2}}});
  for (int repeat = 1; repeat <= 512; repeat *= 2)
    list.push_back({.id = "repeat-" + std::to_string(repeat),
                    .title = "repeat = " + std::to_string(repeat) + ", n = 10007",
                    .settings = {{"n", 10007}, {"repeat", repeat}}});
  return list;
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {
      .title = "intensity: how many operations are free",
      .parts = {{
          .program = kProgram,
          .cases = cases(),
          .sweeps = {{.id = "intensity",
                      .title = "8 bytes an element, more and more FMAs",
                      .argument = "repeat",
                      .values = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
                      .settings = {{"n", l2_multiple({.simulated = 4.5, .gpu = 16, .bytes_per_element = 8})}},
                      .bytes = [](const Settings& s) { return 8 * s["n"]; },
                      .flops = {[](const Settings& s) { return 2 * s["repeat"] * s["n"]; },
                                {sim::FlopType::kF32, sim::FlopType::kF64}},  // doubles are slow, not skipped
                      .memory_roof = "copy",
                      .compute_roof = "fma",
                      .lowest = {{0, {.pass = 0.80, .good = 0.85, .excellent = 0.90}}},
                      .highest = {{0, {.pass = 0.70, .good = 0.80, .excellent = 0.90}}},
                      // An H200's ridge lies where both pipes must be full at once: the reference solution
                      // reached 0.78 and 0.82 of it there.
                      .knee = {{0, {.pass = 0.80}}, {90, {.pass = 0.70}}},
                      .flatness = 0.05}},
          .structure = {one_kernel(), no_local_memory()},
          .steps = {{.id = "right",
                     .title = "every repeat is right",
                     .how = "One element a thread, and a loop whose length is a template argument.",
                     .measurement = "intensity-lowest"},
                    {.id = "bytes",
                     .title = "one operation: the copy roof",
                     .how = "At repeat 1 it is lab 01's kernel: 16 bytes a thread.",
                     .measurement = "intensity-lowest",
                     .at_least = 0.90},
                    {.id = "free",
                     .title = "operations are free up to the ridge",
                     .how = "Unroll the loop, let the coefficients be literals, and give each thread four "
                            "elements: any other instruction costs "
                            "as much as an FMA.",
                     .measurement = "intensity-lowest",
                     .checks = {"intensity-flat", "intensity-knee"}},
                    {.id = "chains",
                     .title = "512 operations: the FMA roof, by independent chains",
                     .how = "Each FMA of an element waits for the one before: several elements a thread, or "
                            "enough warps, give the pipe something else to do.",
                     .measurement = "intensity-highest",
                     .at_least = 0.90}},
          .predictions = {{.key = "flop_per_byte_at_32",
                           .question = "arithmetic intensity at repeat = 32",
                           .expected = 8,
                           .unit = "FLOP/B"},
                          {.key = "regime_at_8",
                           .question = "at repeat = 8: compute, memory or overhead?",
                           .word = "memory"},
                          {.key = "regime_at_256", .question = "at repeat = 256?", .word = "compute"},
                          {.key = "knee_repeat",
                           .question = "repeat at which the A100-40 turns from memory-bound to compute-bound",
                           .expected = 56,
                           .factor = 1.3}},
      }},
  };
}

}  // namespace roofline::grader
