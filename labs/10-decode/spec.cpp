// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
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

// ---- B: attention for one token ----

constexpr double kDim = 128;
constexpr double kMostParts = 256;

double query_elements(const Settings& s) { return s["heads"] * kDim; }
double cache_elements(const Settings& s) { return s["kv_heads"] * s["n"] * kDim; }
/// Keys and values, each once; queries and results are nothing beside them.
double decode_bytes(const Settings& s) { return 2 * 2 * cache_elements(s); }

/// Softmax over all positions of a head, in double. S is the value, and what float arithmetic may add to it:
/// the rounding of a score changes its weight by as much, relative to it, and sums of weights and of weighted
/// values are rounded.
void decode_head(const CallView& call, std::size_t head, Expected* expected) {
  constexpr auto kElements = static_cast<std::size_t>(kDim);
  const auto heads = static_cast<std::size_t>(call.scalar("heads")),
             kv_heads = static_cast<std::size_t>(call.scalar("kv_heads")),
             n = static_cast<std::size_t>(call.scalar("n")), cache = head / (heads / kv_heads);
  const auto q = call.input<_Float16>("q").subspan(head * kElements, kElements);
  const auto keys = call.input<_Float16>("k").subspan(cache * n * kElements, n * kElements),
             values = call.input<_Float16>("v").subspan(cache * n * kElements, n * kElements);
  const double scale = 1 / std::sqrt(kDim);
  std::vector<double> scores(n);
  double most = -std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double score = 0, absolute = 0;
    for (std::size_t j = 0; j < kElements; ++j) {
      const double product = value_of(q[j]) * value_of(keys[i * kElements + j]) * scale;
      score += product;
      absolute += std::abs(product);
    }
    scores[i] = score;
    most = std::max(most, score);
    largest = std::max(largest, absolute);
  }
  std::array<double, kElements> sum{}, absolute{};
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = std::exp(scores[i] - most);
    total += weight;
    for (std::size_t j = 0; j < kElements; ++j) {
      const double value = value_of(values[i * kElements + j]);
      sum[j] += weight * value;
      absolute[j] += weight * std::abs(value);
    }
  }
  // A score goes through the rounding of 8 sums and of its scale, twice (it and the largest); an exponential
  // adds a few of its own; sums of weights as many as there are positions in a thread, which go both ways.
  const double error = (32 * largest + 64 + 2 * std::sqrt(static_cast<double>(n))) * kRoundoffF32;
  for (std::size_t j = 0; j < kElements; ++j)
    expected[j] = {sum[j] / total, std::abs(sum[j] / total) + error * absolute[j] / total / kRoundoffF16};
}

void decode_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  constexpr auto kElements = static_cast<std::uint64_t>(kDim);
  std::array<Expected, kElements> of_head{};
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t head = at / kElements, last = std::min(end, (head + 1) * kElements);
    decode_head(call, head, of_head.data());
    std::copy_n(of_head.begin() + static_cast<std::ptrdiff_t>(at % kElements), last - at,
                expected + (at - begin));
    at = last;
  }
}

/// `largest` bounds the elements of q: scores have about its size. With `negative` all elements of q are near
/// it, and all keys near -1: scores of about -10 times `largest`, a few apart.
NamedValues cache(Value heads, Value kv_heads, Value n, double largest = 1, bool negative = false) {
  return {{"heads", std::move(heads)},
          {"kv_heads", std::move(kv_heads)},
          {"n", std::move(n)},
          {"largest", largest},
          {"negative", negative ? 1 : 0}};
}

Case attending(double heads, double kv_heads, double n, const std::string& tells = "") {
  Case result{.id = whole(heads) + "of" + whole(kv_heads) + "-" + whole(n),
              .title = whole(heads) + (heads == 1 ? " head, " : " heads, ") + whole(kv_heads) +
                       (kv_heads == 1 ? " cache of " : " caches of ") + whole(n) +
                       (n == 1 ? " position" : " positions"),
              .settings = cache(heads, kv_heads, n)};
  result.tells = tells;
  return result;
}

std::vector<Case> decode_cases() {
  std::vector<Case> cases;
  for (const auto& [heads, kv_heads, n] : std::initializer_list<std::array<double, 3>>{{1, 1, 1},
                                                                                       {2, 2, 2},
                                                                                       {1, 1, 15},
                                                                                       {3, 3, 16},
                                                                                       {1, 1, 17},
                                                                                       {2, 1, 31},
                                                                                       {4, 4, 32},
                                                                                       {4, 2, 33},
                                                                                       {8, 8, 63},
                                                                                       {8, 8, 64},
                                                                                       {8, 2, 65},
                                                                                       {1, 1, 255},
                                                                                       {5, 5, 257},
                                                                                       {3, 1, 500},
                                                                                       {8, 8, 2047},
                                                                                       {1, 1, 2053},
                                                                                       {16, 4, 300},
                                                                                       {7, 7, 513},
                                                                                       {1, 1, 13'900}})
    cases.push_back(attending(heads, kv_heads, n));
  cases.push_back(attending(2, 2, 100, "positions that are no multiple of a block's"));
  cases.push_back(attending(12, 3, 300, "heads that share a cache"));
  cases.push_back(attending(12, 2, 1300, "several positions for a thread"));
  Case large = attending(2, 2, 1000);
  large.id = "large-scores";
  large.title = "scores of several hundreds";
  large.settings = cache(2, 2, 1000, 600);
  large.tells = "large scores";
  cases.push_back(large);
  large.id = "some-large-scores";
  large.title = "scores of about ten";
  large.settings = cache(3, 3, 701, 24);
  large.tells = "";
  cases.push_back(large);
  Case negative = attending(2, 2, 100, "scores below zero");
  negative.id = "negative";
  negative.title = "scores of about -300";
  negative.settings = cache(2, 2, 100, 32, true);
  cases.push_back(negative);
  const Value many([](const DeviceFacts& device) { return 2.0 * device.sms + 1; });
  cases.push_back(
      {.id = "many-heads", .title = "more heads than two for each SM", .settings = cache(many, many, 100)});
  Case shifted = attending(2, 2, 129);
  shifted.id = "misaligned-8";
  shifted.title = "pointers eight elements past an aligned address";
  shifted.misaligned_elements = 8;
  cases.push_back(shifted);
  Case huge = attending(8, 8, 2'500'000);
  huge.title = "caches of more than 2^31 elements";
  huge.gpu_only = true;
  huge.needs_memory = 11'000'000'000;
  cases.push_back(huge);
  return cases;
}

void fill_query(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double largest = s["largest"];
  fill_random(Type::kF16, array, seed, s["negative"] != 0 ? 0.9 * largest : -largest, largest);
}
void fill_cached_keys(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF16, array, seed, -1, s["negative"] != 0 ? -0.75 : 1);
}

Part decode() {
  constexpr double kHeads = 8;
  const Argument q = filled(in("q", query_elements, Type::kF16), fill_query);
  return {
      .letter = "b",
      .title = "decode B: attention for one token",
      .program = {.header = "decode.h",
                  .source = "decode.cu",
                  .function = "decode",
                  .arguments = {q, filled(in("k", cache_elements, Type::kF16), fill_cached_keys),
                                in("v", cache_elements, Type::kF16), out("out", query_elements, Type::kF16),
                                size("heads", Type::kS32), size("kv_heads", Type::kS32),
                                size("n", Type::kS32),
                                scratch(
                                    "scratch",
                                    [](const Settings& s) { return s["heads"] * kMostParts * (kDim + 2); }),
                                stream()},
                  .outputs = {{.argument = "out",
                               .reference = decode_reference,
                               .tolerance = {.c = 1, .u = kRoundoffF16},
                               .columns = [](const Settings&) { return kDim; }}}},
      .cases = decode_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "8 heads of 128 over a long cache, keys and values once, at the read roof",
                 .settings = cache(kHeads, kHeads,
                                   rows_beyond_l2({.row_bytes = 2 * 2 * kHeads * kDim, .multiple = 1024})),
                 .roof = "read",
                 .work = decode_bytes,
                 .thresholds = {{0, {.pass = 0.55, .good = 0.75, .excellent = 0.88}}}}},
      .structure = {kernels_between(1, 2), traffic_at_most(1.05, decode_bytes), no_local_memory()},
      .steps =
          {{.id = "right",
            .title = "every head is right, with a block for each",
            .how = "16 lanes share a key of 256 bytes; keep a running maximum, sum and result, and merge the "
                   "teams of the block.",
            .measurement = "bandwidth"},
           {.id = "split",
            .title = "parts on every SM",
            .how = "Split the positions of a head among blocks, and merge what they found.",
            .measurement = "bandwidth",
            .at_least = 0.55},
           {.id = "even",
            .title = "all SMs work until the end",
            .how = "As many parts as fit at the same time; several loads of a thread on their way.",
            .measurement = "bandwidth",
            .at_least = 0.88}},
      .predictions = {{.key = "b_megabytes",
                       .question = "keys and values of 8 heads of 128 over 16384 positions",
                       .expected = 67.1,
                       .factor = 1.06,
                       .unit = "MB"},
                      {.key = "b_microseconds",
                       .question = "time for them on the A100-40 at its data-sheet bandwidth",
                       .expected = 43.2,
                       .factor = 1.15,
                       .unit = "us"},
                      {.key = "b_sms", .question = "SMs that work if each head has one block", .expected = 8},
                      {.key = "b_parts",
                       .question = "parts of each head with which every SM of the A100 has two blocks",
                       .expected = 27},
                      {.key = "b_merged",
                       .question =
                           "the sum of both, relative to the largest of all: one part with largest score "
                           "2 and sum 3, one with 4 and 5",
                       .expected = 5 + 3 * std::exp(-2)}},
      .any_block_order = true,
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() { return {.title = "decode: one token at a time", .parts = {gemv(), decode()}}; }

}  // namespace roofline::grader
