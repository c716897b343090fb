// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/roof.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace roofline::grader {
namespace {

constexpr double kReadTile = 4096;  ///< floats that one output of the read roof sums
constexpr double kRepeat = 512;     ///< operations an element in the arithmetic roofs

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
      // Enough elements for many waves; the bytes take far less time than the arithmetic.
      .settings = {{"n", Value([](const DeviceFacts& device) { return device.sms * 2048.0 * 32; })},
                   {"repeat", kRepeat}},
      .work = [flops](const Settings& s) { return flops * s["repeat"] * s["n"]; },
      .unit_scale = 1e12,
      .data_sheet =
          [share_of_peak](const DeviceFacts& device) { return share_of_peak * device.fp32_tflops; }};
}

std::vector<Roof> table() {
  const auto pins = [](const DeviceFacts& device) { return device.pin_gbps; };
  return {
      {.id = "copy",
       .title = "one byte read for one written",
       .unit = "GB/s",
       .program = program("copy", {in("x", "n"), out("y", "n"), size("n"), stream()},
                          {.argument = "y", .reference = same, .tolerance = {.c = 0}}),
       .settings = {{"n", l2_multiple({.simulated = 5, .gpu = 16, .bytes_per_element = 8})}},
       .work = [](const Settings& s) { return 8 * s["n"]; },
       .data_sheet = pins},
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
      arithmetic("fma", "fused multiply-adds in registers", repeated_fma, 2, 1),
      arithmetic("multiply", "multiplications alone: half an FMA each", repeated_multiply, 1, 0.5),
  };
}

}  // namespace

const std::vector<Roof>& all_roofs() {
  static const std::vector<Roof> roofs = table();
  return roofs;
}

const Roof& roof(std::string_view id) {
  const auto found = std::ranges::find(all_roofs(), id, &Roof::id);
  if (found != all_roofs().end()) return *found;
  std::string known;
  for (const Roof& each : all_roofs()) known += (known.empty() ? "" : ", ") + each.id;
  throw std::out_of_range("no roof '" + std::string(id) + "'; there are " + known);
}

}  // namespace roofline::grader
