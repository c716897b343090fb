// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"
#include "reference.h"

namespace roofline::grader {

WholeCheck step_check(const CallView& call, const Settings& s, std::span<const std::byte> bytes,
                      std::uint64_t);  // spec_check.cpp

namespace {

using step_reference::kBeta1;
using step_reference::kBeta2;
using step_reference::Tensors;

// ---- sizes ----

double tokens(const Settings& s) { return s["sequences"] * s["length"]; }
double elements(const Settings& s) { return tokens(s) * s["width"]; }
double parameters(const Settings& s) { return (12 * s["width"] + 2) * s["width"]; }
/// Numbers of one token, of all tokens: a matrix of `columns` times the width.
double data(const Settings& s) { return s["steps"] * elements(s); }
/// Weights and both means, the halves, and the losses: an array of floats.
double result_size(const Settings& s) { return 3.5 * parameters(s) + s["steps"]; }

// ---- inputs ----

/// About how large the gradient of a weight is: T terms of random sign, each some 1 / (T C).
double typical_gradient(const Settings& s) { return 1 / (std::sqrt(tokens(s)) * s["width"]); }

std::span<float> floats(std::span<std::byte> array) {
  return {reinterpret_cast<float*>(array.data()), array.size() / sizeof(float)};
}

/// Matrices in [-r, r) with a variance of 1 / inputs, so that every product is about as large as its input;
/// gammas in [0.5, 1.5).
void fill_weights(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF32, array, seed, -1, 1);
  const auto w = floats(array);
  const auto c = static_cast<std::size_t>(s["width"]);
  const Tensors at(c);
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double inputs = static_cast<double>(i >= at.begin[3] ? 4 * c : c);
    w[i] = i >= at.begin[4] ? 1 + 0.5F * w[i] : w[i] * static_cast<float>(std::sqrt(3 / inputs));
  }
}

/// Training goes on from step `first`: the mean of gradients as it is then ...
void fill_means(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double most = typical_gradient(s) * (1 - std::pow(kBeta1, s["first"] - 1));
  fill_random(Type::kF32, array, seed, -1, 1);
  for (float& each : floats(array)) each *= static_cast<float>(most);
}
/// ... and the mean of their squares, which no weight has near zero: a step is then no more than some rates,
/// and its error in proportion to the gradient's.
void fill_squares(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double typical = typical_gradient(s), grown = 1 - std::pow(kBeta2, s["first"] - 1);
  fill_random(Type::kF32, array, seed, 1, 2);
  for (float& each : floats(array)) each *= each * static_cast<float>(typical * typical * grown);
}

/// Rows have means of their own, up to 1: who forgets to subtract it notices.
void fill_tokens(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF16, array, seed, -1, 1);
  const std::span<_Float16> x{reinterpret_cast<_Float16*>(array.data()), array.size() / sizeof(_Float16)};
  const auto c = static_cast<std::size_t>(s["width"]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double mean = 2 * static_cast<double>(random_bits(~seed, i / c) >> 40U) * 0x1p-24 - 1;
    x[i] = half_of(static_cast<float>(value_of(x[i]) + mean));
  }
}

// ---- the budget ----

BudgetLine line(const std::string& what, Extent flops, Extent bytes) {
  BudgetLine result{
      what, {{"copy", [bytes = std::move(bytes)](const Settings& s) { return s["steps"] * bytes(s); }}}};
  if (flops)
    result.shares.push_back(
        {"mma", [flops = std::move(flops)](const Settings& s) { return s["steps"] * flops(s); }});
  return result;
}

/// Of T x C times C x `columns` C.
Extent product(double columns) {
  return [columns](const Settings& s) { return 2 * columns * elements(s) * s["width"]; };
}
/// Matrices of `activations` times T x C and `weights` times C x C, in halves; gradients of `gradients` times
/// C x C in floats.
Extent moved(double activations, double weights = 0, double gradients = 0) {
  return [=](const Settings& s) {
    return 2 * activations * elements(s) + (2 * weights + 4 * gradients) * s["width"] * s["width"];
  };
}
/// Of `count` products of a head's matrices with those of the scores' size.
Extent attention(double count) {
  return [count](const Settings& s) { return 2 * count * elements(s) * s["length"]; };
}

/// Operations as they are left when what is done to single elements is part of the one before.
std::vector<BudgetLine> budget() {
  std::vector<BudgetLine> lines = {
      line("a1 = norm(x) gamma1", {}, moved(2)), line("q k v = a1 Wqkv", product(3), moved(4, 3)),
      line("o = softmax(q k) v", attention(2), moved(4)), line("x1 = x + o Wout", product(1), moved(3, 1)),
      line("a2 = norm(x1) gamma2", {}, moved(2)), line("u = a2 Wup, gelu", product(4), moved(5, 4)),
      line("y = x1 + g Wdown, d", product(4), moved(7, 4)),
      line("du = d Wdown^T, gelu'", product(4), moved(9, 4)),
      line("dWdown = g^T d", product(4), moved(5, 0, 4)), line("da2 = du Wup^T", product(4), moved(5, 4)),
      line("dWup = a2^T du", product(4), moved(5, 0, 4)), line("dx1 = d + norm', dgamma2", {}, moved(4)),
      line("do = dx1 Wout^T", product(1), moved(2, 1)), line("dWout = o^T dx1", product(1), moved(2, 0, 1)),
      line("dq dk dv", attention(4), moved(8)), line("da1 = dqkv Wqkv^T", product(3), moved(4, 3)),
      line("dWqkv = a1^T dqkv", product(3), moved(4, 0, 3)), line("dgamma1", {}, moved(2)),
      // Gradient, weight and both means read, these three written, and the half.
      line("Adam", {}, [](const Settings& s) { return 30 * parameters(s); })};
  // Before the first step the worker copies weights and means, and rounds the weights.
  lines.push_back(
      {"parameters begin again", {{"copy", [](const Settings& s) { return 26 * parameters(s); }}}});
  return lines;
}

double product_flops(const Settings& s) {
  double flops = 0;
  for (const BudgetLine& each : budget())
    for (const RoofShare& share : each.shares)
      if (share.roof == "mma") flops += share.work(s);
  return flops;
}

// ---- rules ----

/// A step of some launches may give each some hundred bytes of parameters. Far less than a result.
constexpr std::uint64_t kParameterBytes = std::uint64_t{1} << 16;

/// The worker's arrays, what training needs as it is handed out, and some more.
double memory(const Settings& s) {
  const double given = 4 * data(s) + 12 * parameters(s) + 4 * result_size(s);
  return given + 2 * elements(s) * (28 + 2 * s["length"] / 64) + 5 * parameters(s);
}

// ---- cases and goals ----

NamedValues settings(Value sequences, double length, double width, double steps, double first = 10) {
  return {{"sequences", std::move(sequences)},
          {"length", length},
          {"width", width},
          {"steps", steps},
          {"first", first}};
}

/// A tile of 64 x 64 for each SM in products with as many columns as the width: 1728 tokens on an A100.
NamedValues timed() {
  constexpr double kLength = 192, kWidth = 256, kTile = 64, kSteps = 2;
  const Value sequences([](const DeviceFacts& device) {
    return std::floor(device.sms / (kLength / kTile * (kWidth / kTile)));
  });
  return settings(sequences, kLength, kWidth, kSteps);
}

Case shape(int sequences, int length, int width, int steps, const std::string& tells = "") {
  const auto text = [](int n) { return std::to_string(n); };
  return {.id = text(sequences) + "x" + text(length) + "x" + text(width) + "-" + text(steps),
          .title = text(steps) + (steps == 1 ? " step of " : " steps of ") + text(sequences) + " x " +
                   text(length) + " tokens, width " + text(width),
          .settings = settings(sequences, length, width, steps),
          .tells = tells};
}

std::vector<Case> cases() {
  // One step of every shape first: after several everything is wrong.
  std::vector<Case> list = {shape(1, 64, 64, 1, "forward and backward"),
                            shape(3, 64, 64, 1),
                            shape(1, 256, 64, 1, "sequences of several tiles"),
                            shape(2, 64, 128, 1),
                            shape(1, 64, 256, 1),
                            shape(1, 64, 64, 3, "data that changes"),
                            shape(2, 192, 128, 2),
                            shape(1, 64, 64, 20)};
  list.push_back({.id = "early",
                  .title = "from the second step on: means have only begun to grow",
                  .settings = settings(1, 64, 64, 2, 2),
                  .tells = "the beginning of Adam"});
  list.push_back({.id = "late", .title = "from step 5000 on", .settings = settings(1, 64, 64, 2, 5000)});
  return list;
}

std::vector<Prediction> predictions() {
  return {{.key = "products",
           .question =
               "FLOPs of the matrix products with weights for each token and weight, forward and backward",
           .expected = 6},
          {.key = "gflop",
           .question = "all of them: 1728 tokens, width 256, in GFLOP",
           .expected = 8.154,
           .factor = 1.05,
           .unit = "GFLOP"},
          {.key = "tensor_us",
           .question = "on the A100-40's Tensor Cores, from its data sheet",
           .expected = 26.1,
           .factor = 1.1,
           .unit = "us"},
          {.key = "adam_bytes",
           .question = "bytes that Adam moves for each parameter, with gradients as floats",
           .expected = 30},
          {.key = "adam_us",
           .question = "for all parameters, from the data sheet",
           .expected = 15.2,
           .factor = 1.1,
           .unit = "us"},
          {.key = "launches_us",
           .question = "what 38 launches cost at least, 2.62 us apart in a stream of the A100",
           .expected = 99.6,
           .factor = 1.05,
           .unit = "us"},
          {.key = "regime",
           .question = "the product of 1728 x 256 with 256 x 1024, all in DRAM: compute, memory or overhead?",
           .word = "memory"}};
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  const Extent state = parameters;
  return {
      .title = "step: the capstone",
      .parts = {{
          .program = {.header = "step.h",
                      .source = "step.cu",
                      .function = "step",
                      .arguments = {filled(in("x", data, Type::kF16), fill_tokens),
                                    in("targets", data, Type::kF16), filled(in("w0", state), fill_weights),
                                    filled(in("m0", state), fill_means),
                                    filled(in("v0", state), fill_squares), out("result", result_size),
                                    size("steps", Type::kS32), size("first", Type::kS32),
                                    size("sequences", Type::kS32), size("length", Type::kS32),
                                    size("width", Type::kS32), between(1e-3, 2e-3, scalar("rate")), stream()},
                      .outputs = {{.argument = "result", .whole = step_check}}},
          .cases = cases(),
          .goals = {{.id = "step",
                     .title = "two steps of 16 tokens an SM, width 256",
                     .settings = timed(),
                     .roof = "copy",
                     .budget = budget(),
                     .flops = {product_flops,
                               {sim::FlopType::kF16, sim::FlopType::kF32, sim::FlopType::kTensorF16,
                                sim::FlopType::kTensorF16F32, sim::FlopType::kTensorBf16,
                                sim::FlopType::kTensorTf32}},
                     // DRAM is three times as fast on compute capability 9.0 as on 8.0, and five times on
                     // 10.0; shared memory and launches are not.
                     .thresholds = {{80, {.pass = 0.20, .good = 0.30, .excellent = 0.45}},
                                    {90, {.pass = 0.11, .good = 0.17, .excellent = 0.23}},
                                    {100, {.pass = 0.06, .good = 0.10, .excellent = 0.13}},
                                    {120, {.pass = 0.20, .good = 0.30, .excellent = 0.45}}}}},
          .structure = {flops_at_least(product_flops), device_memory_at_most(memory), no_new_graph(),
                        host_does_not_wait()},
          .steps = {{.id = "right",
                     .title = "the step as it was handed out, complete",
                     .how = "Four kernels of a few lines each: the gradients of a norm, a softmax and gelu, "
                            "and Adam.",
                     .checks = {"host-waits"}},
                    {.id = "products",
                     .title = "products in tiles",
                     .how = "Most of the time: copy tiles to shared memory, as in lab 04, stages "
                            "ahead.",
                     .measurement = "step",
                     .at_least = 0.20},
                    {.id = "fused",
                     .title = "elements with the products, attention without scores",
                     .how = "Residuals, gelu, the loss: while the sums are at hand. Attention as in lab 11.",
                     .measurement = "step",
                     .at_least = 0.30},
                    {.id = "graph",
                     .title = "launches cost little",
                     .how = "One graph; only what reads the batch gets new parameters.",
                     .measurement = "step",
                     .at_least = 0.36},
                    {.id = "beyond",
                     .title = "what the budget lists and you need not do",
                     .how = "Who computes a gradient may use it at once: which bytes does Adam read then?",
                     .measurement = "step",
                     .at_least = 0.48}},
          .bench = Bench{.title = "One step, from the file as handed out to the last version",
                         .argument = "sequences",
                         .values = {1, 2, 4, 8},
                         .settings = settings(1, 192, 256, 1),
                         .work = [](const Settings&) { return 1; },
                         .unit = "us a step",
                         .timeline_at = 8,
                         .timeline_us = 700,
                         .versions = {{"as handed out", "wrong/1-as-handed-out.cu"},
                                      {"tiles", "variants/2-tiles.cu"},
                                      {"epilogues", "variants/4-epilogues.cu"},
                                      {"last", "step.cu"},
                                      {"yours", ""}}},
          .predictions = predictions(),
          .minimum_capability = 80,
          .any_block_order = true,
          .host_to_device_limit = kParameterBytes,
          .prepares = true,
          .adapter = "step_worker.cu",
          .given = {"tiles.h"},
      }}};
}

}  // namespace roofline::grader
