// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"

namespace roofline::grader {
namespace {

// ---- A: a matrix of 4-bit weights times a vector ----

constexpr double kGroup = 128;  ///< weights that share a scale

double weight_bytes(const Settings& s) { return s["rows"] * s["columns"] / 2; }
double scale_count(const Settings& s) { return s["rows"] * s["columns"] / kGroup; }
/// Weights, their scales, x and y: each once.
double gemv_bytes(const Settings& s) {
  return weight_bytes(s) + 2 * (scale_count(s) + s["columns"] + s["rows"]);
}

/// The low or the high four bits of a byte, -8 to 7 in two's complement.
double low(std::uint8_t byte) { return static_cast<double>((byte & 15) ^ 8) - 8; }
double high(std::uint8_t byte) { return static_cast<double>((byte >> 4) ^ 8) - 8; }

/// S is the value, and what adding up a few products in halves may change it by: five roundings of the root
/// of the sum of squares. That is seven standard deviations for pairs of sums of four products, and less than
/// one where each lane keeps a sum in halves.
void gemv_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto w = call.input<std::uint8_t>("w");
  const auto scales = call.input<_Float16>("scales"), halves = call.input<_Float16>("x");
  std::vector<double> x(halves.size());
  for (std::size_t c = 0; c < x.size(); ++c) x[c] = value_of(halves[c]);
  const std::size_t groups = x.size() / static_cast<std::size_t>(kGroup);
  constexpr auto kBytes = static_cast<std::size_t>(kGroup) / 2;
  for (std::uint64_t r = begin; r < end; ++r) {
    double sum = 0, squares = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      const std::uint8_t* bytes = &w[(r * groups + g) * kBytes];
      const double* elements = &x[g * static_cast<std::size_t>(kGroup)];
      double dot = 0, square = 0;
      for (std::size_t i = 0; i < kBytes; ++i) {
        const double even = low(bytes[i]) * elements[2 * i], odd = high(bytes[i]) * elements[2 * i + 1];
        dot += even + odd;
        square += even * even + odd * odd;
      }
      const double scale = value_of(scales[r * groups + g]);
      sum += scale * dot;
      squares += scale * scale * square;
    }
    expected[r - begin] = {sum, std::abs(sum) + 5 * std::sqrt(squares)};
  }
}

/// What w and x hold: anything; an element of x in 128 fifty times as large as the others; every second group
/// of x zeros; weights that are all -8 or 7. A setting that the function is not given.
enum Content : std::uint8_t { kDrawn, kOutliers, kZeroGroups, kExtremes };

void fill_weights(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kU8, array, seed, -1, 1);
  if (static_cast<Content>(s["content"]) != kExtremes) return;
  for (std::byte& b : array) b = (b & std::byte{1}) == std::byte{0} ? std::byte{0x88} : std::byte{0x77};
}

void fill_x(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const auto content = static_cast<Content>(s["content"]);
  const double most = s["largest"];
  fill_random(Type::kF16, array, seed, -most, most);
  const std::span<_Float16> x(reinterpret_cast<_Float16*>(array.data()), array.size() / sizeof(_Float16));
  constexpr auto kTogether = static_cast<std::size_t>(kGroup);
  if (content == kOutliers)
    for (std::size_t g = 0; g < x.size(); g += kTogether)
      x[g + random_bits(seed, g) % kTogether] = static_cast<_Float16>(50 * most);
  if (content == kZeroGroups)
    for (std::size_t g = 0; g < x.size(); g += 2 * kTogether)
      std::ranges::fill(x.subspan(g, kTogether), static_cast<_Float16>(0));
}

NamedValues matrix(Value rows, double columns, double largest = 1, Content content = kDrawn) {
  return {{"rows", std::move(rows)}, {"columns", columns}, {"largest", largest}, {"content", content}};
}

Case sized(double rows, double columns, const std::string& tells = "") {
  Case result{.id = whole(rows) + "x" + whole(columns),
              .title = whole(rows) + (rows == 1 ? " row of " : " rows of ") + whole(columns),
              .settings = matrix(rows, columns)};
  result.tells = tells;
  return result;
}

Case holding(const std::string& id, const std::string& title, double columns, double largest, Content content,
             const std::string& tells = "") {
  Case result{.id = id, .title = title, .settings = matrix(37, columns, largest, content)};
  result.tells = tells;
  return result;
}

std::vector<Case> gemv_cases() {
  std::vector<Case> cases;
  for (const auto& [rows, columns] : std::initializer_list<std::pair<double, double>>{{0, 128},
                                                                                      {2, 128},
                                                                                      {3, 256},
                                                                                      {5, 384},
                                                                                      {7, 512},
                                                                                      {31, 1024},
                                                                                      {32, 1152},
                                                                                      {33, 4096},
                                                                                      {64, 4224},
                                                                                      {100, 640},
                                                                                      {255, 128},
                                                                                      {257, 896},
                                                                                      {1023, 128},
                                                                                      {3, 11'008},
                                                                                      {1, 4096},
                                                                                      {4099, 256},
                                                                                      {9, 16'256},
                                                                                      {2, 16'384}})
    cases.push_back(sized(rows, columns));
  cases.push_back(sized(1, 128, "a single group of weights"));
  cases.push_back(sized(300, 16'384, "long rows"));
  cases.push_back(sized(65, 768, "rows that are no multiple of a block's"));
  cases.push_back(holding("large", "x up to 1000", 512, 1000, kDrawn, "large elements of x"));
  cases.push_back(
      holding("outliers", "one element in 128 fifty times as large", 1024, 1, kOutliers, "outliers in x"));
  cases.push_back(holding("zeros", "every second group of x is 0", 1024, 1, kZeroGroups));
  cases.push_back(holding("extremes", "weights that are all -8 or 7", 1024, 1, kExtremes, "the sign of -8"));
  Case shifted = sized(33, 256);
  shifted.id = "misaligned-16";
  shifted.title = "pointers 16 elements past an aligned address";
  shifted.misaligned_elements = 16;
  cases.push_back(shifted);
  Case huge = sized(400'000, 11'008);
  huge.title = "more than 2^31 bytes of weights";
  huge.gpu_only = true;
  huge.needs_memory = 2'400'000'000;
  cases.push_back(huge);
  return cases;
}

constexpr double kColumns = 11'008;  ///< of the goal: a projection of a model of 7 thousand million weights

constexpr double kRowBytes = kColumns * (0.5 + 2 / kGroup);

Part gemv() {
  const Argument w = filled(in("w", weight_bytes, Type::kU8), fill_weights),
                 x = filled(in("x", "columns", Type::kF16), fill_x);
  return {
      .letter = "a",
      .title = "decode A: 4-bit weights times a vector",
      .program = {.header = "gemv_q4.h",
                  .source = "gemv_q4.cu",
                  .function = "gemv_q4",
                  .arguments = {w, between(1.0 / 64, 1.0 / 16, in("scales", scale_count, Type::kF16)), x,
                                out("y", "rows", Type::kF16), size("rows", Type::kS32),
                                size("columns", Type::kS32), stream()},
                  .outputs = {{.argument = "y",
                               .reference = gemv_reference,
                               .tolerance = {.c = 1, .u = kRoundoffF16}}}},
      .cases = gemv_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "matrices of 4096 x 11008, four bits a weight, at the read roof",
                 .settings = matrix(rows_beyond_l2({.row_bytes = kRowBytes, .multiple = 4096}), kColumns),
                 .roof = "read",
                 .work = gemv_bytes,
                 .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .shown = {{.id = "inside-l2",
                 .title = "the trap: a matrix half as large as L2, which is still there from the last call",
                 .settings = matrix(
                     rows_beyond_l2({.simulated = 0.5, .gpu = 0.5, .row_bytes = kRowBytes, .minimum = 0}),
                     kColumns),
                 .roof = "read",
                 .work = gemv_bytes}},
      .structure = {one_kernel(), traffic_at_most(1.05, gemv_bytes), no_local_memory()},
      .steps =
          {{.id = "right",
            .title = "every row is right, be it with one thread for each",
            .how = "One thread may walk over a whole row; (byte & 15 ^ 8) - 8 is the lower weight of a byte.",
            .measurement = "bandwidth"},
           {.id = "together",
            .title = "neighbouring lanes read neighbouring bytes",
            .how = "Give each row to a warp, and add up its lanes' sums by __shfl_xor_sync.",
            .measurement = "bandwidth",
            .at_least = 0.30},
           {.id = "conversions",
            .title = "fewer instructions for each weight",
            .how = "Count the instructions of the inner loop for one weight. Which of them could be done "
                   "for two or four weights at once?",
            .measurement = "bandwidth",
            .at_least = 0.80},
           {.id = "roof",
            .title = "the read roof",
            .how = "16 bytes a lane and several rows a warp: more loads are on their way, and x is read "
                   "once for all of them.",
            .measurement = "bandwidth",
            .at_least = 0.90}},
      .predictions = {{.key = "a_bytes",
                       .question = "bytes for one weight: four bits, and its share of a half scale for 128",
                       .expected = 0.515625,
                       .unit = "B"},
                      {.key = "a_intensity",
                       .question = "FLOPs for each of these bytes, a product and a sum for each weight",
                       .expected = 3.88,
                       .factor = 1.05,
                       .unit = "FLOP/B"},
                      {.key = "a_microseconds",
                       .question = "time for 4096 x 11008 weights on the A100-40 at its data-sheet bandwidth",
                       .expected = 14.95,
                       .factor = 1.15,
                       .unit = "us"},
                      {.key = "a_microseconds_halves",
                       .question = "and with weights that are halves",
                       .expected = 58,
                       .factor = 1.15,
                       .unit = "us"},
                      {.key = "a_slots",
                       .question =
                           "instructions of a lane for which an A100 has time while DRAM brings a weight",
                       .expected = 6.46,
                       .factor = 1.15}},
      .any_block_order = true,
  };
}

}  // namespace

Part decode_halves();  // spec_decode.cpp
Part decode_bytes();   // spec_decode.cpp

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "decode: one token at a time", .parts = {gemv(), decode_halves(), decode_bytes()}};
}

}  // namespace roofline::grader
