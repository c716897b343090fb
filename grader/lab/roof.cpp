// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/roof.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "grader/lab/e4m3.h"
#include "grader/lab/feed.h"
#include "grader/lab/gradients.h"
#include "grader/lab/half.h"
#include "grader/lab/memory_roofs.h"
#include "grader/lab/peer_roofs.h"
#include "random/philox.h"

namespace roofline::grader {
namespace {

constexpr double kReadTile = 4096;  ///< floats that one output of the read roof sums
constexpr double kRepeat = 512;     ///< products a fragment in the Tensor Core's roof
constexpr double kSteps = 4096;     ///< operations an element in the other arithmetic roofs

void same(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  for (auto i = begin; i < end; ++i) expected[i - begin] = {x[i], std::abs(x[i])};
}

void tile_sum(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  for (auto k = begin; k < end; ++k) {
    Expected sum;
    const auto first = k * static_cast<std::uint64_t>(kReadTile);
    const auto last = std::min<std::uint64_t>(x.size(), first + static_cast<std::uint64_t>(kReadTile));
    for (auto i = first; i < last; ++i) {
      sum.value += x[i];
      sum.magnitude += std::abs(x[i]);
    }
    expected[k - begin] = sum;
  }
}

// v = a*v + b repeated r times is a^r * x + b * (1 - a^r) / (1 - a), with the coefficients as floats.
void repeated(const CallView& call, double a, double b, std::uint64_t begin, std::uint64_t end,
              Expected* expected) {
  const auto x = call.input<float>("x");
  const double factor = std::pow(a, call.scalar("repeat"));
  const double offset = b * (1 - factor) / (1 - a);
  for (auto i = begin; i < end; ++i) {
    expected[i - begin] = {factor * x[i] + offset, std::abs(factor * x[i]) + std::abs(offset)};
  }
}
void repeated_fma(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  repeated(call, static_cast<double>(0.999F), static_cast<double>(0.001F), begin, end, expected);
}
void repeated_multiply(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  repeated(call, static_cast<double>(0.999F), 0, begin, end, expected);
}

// Element (i, j) of every tile: repeat times row i of the left matrix with column j of the four right ones.
void repeated_product(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto operands = call.input<_Float16>("operands");
  const double repeat = call.scalar("repeat");
  const auto at = [&](std::size_t matrix, std::size_t row, std::size_t column) {
    return static_cast<double>(operands[256 * matrix + 16 * row + column]);
  };
  for (auto e = begin; e < end; ++e) {
    const std::size_t i = e % 256 / 16, j = e % 16;
    Expected sum;
    for (std::size_t matrix = 1; matrix <= 4; ++matrix)
      for (std::size_t k = 0; k < 16; ++k) {
        const double product = repeat * at(0, i, k) * at(matrix, k, j);
        sum.value += product;
        sum.magnitude += std::abs(product);
      }
    expected[e - begin] = sum;
  }
}

// The derivative of a cosine is at most 1: neither call makes the other's error larger.
void cosine_twice(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  for (auto i = begin; i < end; ++i) expected[i - begin] = {std::cos(std::cos(static_cast<double>(x[i]))), 1};
}

// S: |residual| + scale * (|x| + |bias|), since |gelu(v)| <= |v| and its derivative stays below 1.13.
void residual_block(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x"), bias = call.input<float>("bias"),
             residual = call.input<float>("residual");
  const auto seed = static_cast<std::uint64_t>(call.scalar("seed"));
  const double threshold = call.scalar("threshold"), scale = call.scalar("scale");
  PhiloxBlock random{};
  for (auto i = begin; i < end; ++i) {
    if (i == begin || i % 4 == 0) random = philox(seed, i / 4);
    const bool kept = random.word[i % 4] >= threshold;
    const float b = bias[i % bias.size()];
    const double v = x[i] + b;  // rounded, or infinite, as every solution has it
    const double gelu = 0.5 * v * (1 + std::erf(v / std::numbers::sqrt2));
    expected[i - begin] = {
        residual[i] + (kept ? scale * gelu : 0),
        std::abs(residual[i]) + (kept ? std::abs(scale) * (std::abs(x[i]) + std::abs(b)) : 0.0)};
  }
}

double per_repeat(const Settings& settings) { return settings["repeat"]; }

Program program(const std::string& id, std::vector<Argument> arguments, Output output) {
  return {.header = id + ".h",
          .source = id + ".cu",
          .function = id + "_roof",
          .arguments = std::move(arguments),
          .outputs = {std::move(output)}};
}

Roof arithmetic(const std::string& id, const std::string& title, Reference reference, double flops,
                double share_of_peak) {
  Output output{.argument = "y",
                .reference = std::move(reference),
                // Each step rounds once, and what it adds stays below |x| + 1.
                .tolerance = {.c = 4, .growth = per_repeat}};
  return {
      .id = id,
      .title = title,
      .unit = "TFLOP/s",
      .program = program(id, {in("x", "n"), out("y", "n"), size("repeat", Type::kS32), size("n"), stream()},
                         std::move(output)),
      // One wave of full SMs, four elements a thread, and so many steps that loading them is no part of it.
      // In eight waves of 512 steps an H200 gave 61.2 TF, and 64.6 to lab 02's solution.
      .settings = {{"n", Value([](const DeviceFacts& device) { return device.sms * 2048.0 * 4; })},
                   {"repeat", kSteps}},
      .work = [flops](const Settings& s) { return flops * s["repeat"] * s["n"]; },
      .unit_scale = 1e12,
      .data_sheet =
          [share_of_peak](const DeviceFacts& device) { return share_of_peak * device.fp32_tflops; }};
}

/// 16 warps an SM, each with four chains of 16x16x16 products.
Roof tensor() {
  return {
      .id = "mma",
      .title = "mma_sync in registers: halves, FP32 sums",
      .unit = "TFLOP/s",
      .program = program(
          "mma_sync",
          {in(
               "operands", [](const Settings&) { return 5 * 256; }, Type::kF16),
           out("sums", [](const Settings& s) { return 256 * s["warps"]; }), size("repeat", Type::kS32),
           size("warps"), stream()},
          {.argument = "sums", .reference = repeated_product, .tolerance = {.c = 4, .growth = per_repeat}}),
      .settings = {{"warps", Value([](const DeviceFacts& device) { return device.sms * 16.0; })},
                   {"repeat", kRepeat}},
      .work = [](const Settings& s) { return 4 * 2 * 4096 * s["repeat"] * s["warps"]; },
      .unit_scale = 1e12,
      .data_sheet = [](const DeviceFacts& device) { return device.tensor_tflops; },
      .kind = RoofKind::kTensor};
}

/// Element (i, j) of every tile: repeat times row i of left with row j of the four right matrices.
void repeated_product_e4m3(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto operands = call.input<E4M3>("operands");
  const double repeat = call.scalar("repeat");
  const auto at = [&](std::size_t row, std::size_t k) { return value_of(operands[32 * row + k]); };
  for (auto e = begin; e < end; ++e) {
    const std::size_t i = e % 128 / 8, j = e % 8;
    Expected sum;
    for (std::size_t matrix = 0; matrix < 4; ++matrix)
      for (std::size_t k = 0; k < 32; ++k) {
        const double product = repeat * at(i, k) * at(16 + 8 * matrix + j, k);
        sum.value += product;
        sum.magnitude += std::abs(product);
      }
    expected[e - begin] = sum;
  }
}

/// 16 warps an SM, each with four chains of 16x8x32 products. Accumulators of 8-bit products keep about 13
/// bits behind the leading one, each of which may be cut off in each step.
Roof tensor_e4m3() {
  return {.id = "mma-f8",
          .title = "mma.sync in registers: e4m3, FP32 sums",
          .unit = "TFLOP/s",
          .program = program("mma_e4m3",
                             {in(
                                  "operands", [](const Settings&) { return 48 * 32; }, Type::kE4M3),
                              out("sums", [](const Settings& s) { return 128 * s["warps"]; }),
                              size("repeat", Type::kS32), size("warps"), stream()},
                             {.argument = "sums",
                              .reference = repeated_product_e4m3,
                              .tolerance = {.c = 1, .u = 0x1p-13, .growth = per_repeat}}),
          .settings = {{"warps", Value([](const DeviceFacts& device) { return device.sms * 16.0; })},
                       {"repeat", kRepeat}},
          .work = [](const Settings& s) { return 4 * 2 * 4096 * s["repeat"] * s["warps"]; },
          .unit_scale = 1e12,
          .data_sheet = [](const DeviceFacts& device) { return device.tensor_f8_tflops; },
          .minimum_capability = 89};
}

/// A chain of small kernels, each of which reads and writes 64 KiB and waits for the one before it.
Roof launches(const std::string& id, const std::string& file, const std::string& title, double kernels) {
  return {
      .id = id,
      .title = title,
      .unit = "kernels/ms",
      .program = {.header = file + ".h",
                  .source = file + ".cu",
                  .function = file + "_roof",
                  .arguments = {in("x", "n"), out("y", "n"), size("repeat", Type::kS32), size("n"), stream()},
                  .outputs = {{.argument = "y",
                               .reference = repeated_fma,
                               .tolerance = {.c = 4, .growth = per_repeat}}}},
      .settings = {{"n", 16384}, {"repeat", kernels}},
      .work = per_repeat,
      .unit_scale = 1e3,
      .keeps_buffers = true};
}

double elements(const Settings& s) { return s["rows"] * s["columns"]; }

std::vector<Roof> table() {
  const auto pins = [](const DeviceFacts& device) { return device.pin_gbps; };
  Roof wait_each = launches("launch-and-wait", "launch_and_wait",
                            "64 KiB kernels, each launched when the host has seen the end of the last", 100);
  wait_each.of_hardware = false;
  Roof fma = arithmetic("fma", "fused multiply-adds in registers", repeated_fma, 2, 1);
  fma.kind = RoofKind::kFp32;
  return {
      {.id = "copy",
       .title = "one byte read for one written",
       .unit = "GB/s",
       .program = program("copy", {in("x", "n"), out("y", "n"), size("n"), stream()},
                          {.argument = "y", .reference = same, .tolerance = {.c = 0}}),
       .settings = {{"n", l2_multiple({.simulated = 5, .gpu = 16, .bytes_per_element = 8})}},
       .work = [](const Settings& s) { return 8 * s["n"]; },
       .data_sheet = pins,
       .kind = RoofKind::kMemory},
      {.id = "read",
       .title = "bytes only read",
       .unit = "GB/s",
       .program =
           program("read",
                   {in("x", "n"), out("y", [](const Settings& s) { return std::ceil(s["n"] / kReadTile); }),
                    size("n"), stream()},
                   {.argument = "y", .reference = tile_sum, .tolerance = {.c = 32}}),
       .settings = {{"n", l2_multiple({.simulated = 5, .gpu = 16, .bytes_per_element = 4})}},
       .work = [](const Settings& s) { return 4 * s["n"]; },
       .data_sheet = pins},
      fma,
      arithmetic("multiply", "multiplications alone: half an FMA each", repeated_multiply, 1, 0.5),
      tensor(),
      tensor_e4m3(),
      launches("stream-launch", "stream_launch", "64 KiB kernels that follow each other in a stream", 200),
      launches("graph-node", "graph_node", "64 KiB kernels that follow each other as nodes of a graph", 200),
      wait_each,
      {.id = "cosine",
       .title = "cos(cos(x)) by one trusted kernel",
       .unit = "GB/s",
       .program = program("cosine", {between(-10, 10, in("x", "n")), out("y", "n"), size("n"), stream()},
                          {.argument = "y", .reference = cosine_twice, .tolerance = {.c = 4}}),
       .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 8})}},
       .work = [](const Settings& s) { return 8 * s["n"]; },
       .data_sheet = pins,
       .of_hardware = false},
      {.id = "unfused",
       .title = "bias, gelu, dropout and residual in four kernels",
       .unit = "Gelement/s",
       .program = program("unfused",
                          {in("x", elements), in("bias", "columns"), in("residual", elements),
                           out("y", elements), random_integer("seed", 53), size("threshold", Type::kU32),
                           scalar("scale"), size("rows"), size("columns"), stream()},
                          {.argument = "y", .reference = residual_block, .tolerance = {.c = 8}}),
       .settings = {{"columns", 4096},
                    {"rows", Value([](const DeviceFacts& device) {
                       const Value n = l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 12});
                       return std::floor(n.at(device) / 4096);
                     })},
                    {"threshold", 429496730},
                    {"scale", 1 / 0.9}},
       .work = elements,
       .of_hardware = false},
  };
}

}  // namespace

const std::vector<Roof>& all_roofs() {
  static const std::vector<Roof> roofs = [] {
    std::vector<Roof> all = table();
    for (const auto& more : {memory_roofs(), feed_roofs(), peer_roofs(), gradients_roofs()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return roofs;
}

const Roof* find_roof(std::string_view id) {
  const auto found = std::ranges::find(all_roofs(), id, &Roof::id);
  return found == all_roofs().end() ? nullptr : &*found;
}

const Roof& roof(std::string_view id) {
  if (const Roof* found = find_roof(id)) return *found;
  std::string known;
  for (const Roof& each : all_roofs()) known += (known.empty() ? "" : ", ") + each.id;
  throw std::out_of_range("no roof '" + std::string(id) + "'; there are " + known);
}

}  // namespace roofline::grader
