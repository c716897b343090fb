// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Parts B and C of the lab: attention for one token, with the cache in halves and in bytes.
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
#include "grader/lab/spec.h"

namespace roofline::grader {

Part decode_halves();
Part decode_bytes();

namespace {

constexpr double kDim = 128;
constexpr double kMostParts = 256;
constexpr auto kElements = static_cast<std::size_t>(kDim);  ///< of a head of q, of a key, of a value

double query_elements(const Settings& s) { return s["heads"] * kDim; }
double cache_elements(const Settings& s) { return s["kv_heads"] * s["n"] * kDim; }
double cache_tokens(const Settings& s) { return s["kv_heads"] * s["n"]; }
double scratch_floats(const Settings& s) { return s["heads"] * kMostParts * (kDim + 2); }
/// Keys and values, each once; queries and results are nothing beside them.
double bytes_of_halves(const Settings& s) { return 2 * 2 * cache_elements(s); }
/// The same in bytes, with two scales for each token.
double bytes_of_int8(const Settings& s) { return 2 * (cache_elements(s) + 2 * cache_tokens(s)); }

double value_of(std::int8_t byte) { return byte; }
using grader::value_of;

/// Keys or values of one cache: what is stored, and a scale for each token, or none.
template <class T>
struct Tokens {
  std::span<const T> elements;
  std::span<const _Float16> scales{};

  double operator()(std::size_t token, std::size_t j) const {
    const double element = value_of(elements[token * kElements + j]);
    return scales.empty() ? element : value_of(scales[token]) * element;
  }
};

/// Softmax over all tokens of a head, in double. S is the value, and what float arithmetic may add to it:
/// the rounding of a score changes its weight by as much, relative to it, and sums of weights and of weighted
/// values are rounded.
template <class T>
void decode_head(std::span<const _Float16> q, const Tokens<T>& keys, const Tokens<T>& values,
                 std::span<Expected> expected) {
  const std::size_t n = keys.elements.size() / kElements;
  const double scale = 1 / std::sqrt(kDim);
  std::vector<double> scores(n);
  double most = -std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double score = 0, absolute = 0;
    for (std::size_t j = 0; j < kElements; ++j) {
      const double product = value_of(q[j]) * keys(i, j) * scale;
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
      const double value = values(i, j);
      sum[j] += weight * value;
      absolute[j] += weight * std::abs(value);
    }
  }
  // A score goes through the rounding of 8 sums and of its scales, twice (it and the largest); an exponential
  // adds a few of its own; sums of weights as many as there are tokens in a thread, which go both ways.
  const double error = (32 * largest + 64 + 2 * std::sqrt(static_cast<double>(n))) * kRoundoffF32;
  for (std::size_t j = 0; j < kElements; ++j)
    expected[j] = {sum[j] / total, std::abs(sum[j] / total) + error * absolute[j] / total / kRoundoffF16};
}

/// `scales`: the names of the scales of keys and values; none where the elements are the values themselves.
template <class T>
void decode_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected,
                      const char* k_scales = nullptr, const char* v_scales = nullptr) {
  const auto heads = static_cast<std::size_t>(call.scalar("heads")),
             kv_heads = static_cast<std::size_t>(call.scalar("kv_heads")),
             n = static_cast<std::size_t>(call.scalar("n"));
  const auto tokens_of = [&](std::size_t cache, const char* elements, const char* scales) {
    Tokens<T> tokens{call.input<T>(elements).subspan(cache * n * kElements, n * kElements)};
    if (scales != nullptr) tokens.scales = call.input<_Float16>(scales).subspan(cache * n, n);
    return tokens;
  };
  std::array<Expected, kElements> of_head{};
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t head = at / kElements, last = std::min(end, (head + 1) * kElements);
    const std::size_t cache = head / (heads / kv_heads);
    decode_head<T>(call.input<_Float16>("q").subspan(head * kElements, kElements),
                   tokens_of(cache, "k", k_scales), tokens_of(cache, "v", v_scales), of_head);
    std::copy_n(of_head.begin() + static_cast<std::ptrdiff_t>(at % kElements), last - at,
                expected + (at - begin));
    at = last;
  }
}

void halves_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  decode_reference<_Float16>(call, begin, end, expected);
}
void int8_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  decode_reference<std::int8_t>(call, begin, end, expected, "k_scales", "v_scales");
}

/// What a cache holds. Of kNegative all elements of q are near their bound and all keys negative, so scores
/// are far below zero, a few apart. kUneven: one token in 16 has scales 30 times as large as the others;
/// kEmpty: every second token has scales of 0. A setting that the function is not given.
enum Content : std::uint8_t { kDrawn, kNegative, kUneven, kEmpty };

/// `largest` bounds the elements of q: scores have about its size.
NamedValues cache(Value heads, Value kv_heads, Value n, double largest = 1, Content content = kDrawn) {
  return {{"heads", std::move(heads)},
          {"kv_heads", std::move(kv_heads)},
          {"n", std::move(n)},
          {"largest", largest},
          {"content", content}};
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

Case holding(const std::string& id, const std::string& title, NamedValues settings,
             const std::string& tells = "") {
  Case result{.id = id, .title = title, .settings = std::move(settings)};
  result.tells = tells;
  return result;
}

/// Of both parts.
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
  cases.push_back(
      holding("large-scores", "scores of several hundreds", cache(2, 2, 1000, 600), "large scores"));
  cases.push_back(holding("some-large-scores", "scores of about ten", cache(3, 3, 701, 24)));
  cases.push_back(
      holding("negative", "scores of about -300", cache(2, 2, 100, 32, kNegative), "scores below zero"));
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

std::vector<Case> int8_cases() {
  std::vector<Case> cases = decode_cases();
  for (Case& each : cases) {
    if (each.gpu_only) each.needs_memory = 5'500'000'000;
    if (each.misaligned_elements == 0) continue;
    each.id = "misaligned-16";
    each.title = "pointers 16 elements past an aligned address";
    each.misaligned_elements = 16;
  }
  // A block that takes more positions at once than one of part B has several rounds here, and an empty part.
  cases.push_back(attending(12, 2, 5000, "several rounds of positions"));
  cases.push_back(attending(1, 1, 27'700));
  cases.push_back(holding("uneven", "one token in 16 with scales 30 times as large",
                          cache(3, 3, 701, 4, kUneven), "scales that differ"));
  cases.push_back(holding("empty", "every second token with scales of 0", cache(2, 2, 333, 4, kEmpty)));
  return cases;
}

bool is(const Settings& s, Content content) { return static_cast<Content>(s["content"]) == content; }

void fill_query(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double largest = s["largest"];
  fill_random(Type::kF16, array, seed, is(s, kNegative) ? 0.9 * largest : -largest, largest);
}
void fill_keys(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF16, array, seed, -1, is(s, kNegative) ? -0.75 : 1);
}
void fill_int8_keys(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  if (is(s, kNegative))
    fill_random(Type::kS8, array, seed, -128, -96);
  else
    fill_random(Type::kS8, array, seed, -1, 1);  // any byte
}
/// Of tokens whose largest elements are between 0.5 and 2; all alike where scores are to be a few apart.
void fill_scales(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const double least = is(s, kNegative) ? 0.9 / 127 : 0.5 / 127;
  fill_random(Type::kF16, array, seed, least, is(s, kNegative) ? 1.0 / 127 : 2.0 / 127);
  const std::span<_Float16> scales(reinterpret_cast<_Float16*>(array.data()),
                                   array.size() / sizeof(_Float16));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    if (is(s, kUneven) && random_bits(seed, i) % 16 == 0) scales[i] *= static_cast<_Float16>(30);
    if (is(s, kEmpty) && i % 2 == 0) scales[i] = 0;
  }
}

constexpr double kHeads = 8;  ///< of the goals

}  // namespace

Part decode_halves() {
  const Argument q = filled(in("q", query_elements, Type::kF16), fill_query);
  return {
      .letter = "b",
      .title = "decode B: attention for one token",
      .program = {.header = "decode.h",
                  .source = "decode.cu",
                  .function = "decode",
                  .arguments = {q, filled(in("k", cache_elements, Type::kF16), fill_keys),
                                in("v", cache_elements, Type::kF16), out("out", query_elements, Type::kF16),
                                size("heads", Type::kS32), size("kv_heads", Type::kS32),
                                size("n", Type::kS32), scratch("scratch", scratch_floats), stream()},
                  .outputs = {{.argument = "out",
                               .reference = halves_reference,
                               .tolerance = {.c = 1, .u = kRoundoffF16},
                               .columns = [](const Settings&) { return kDim; }}}},
      .cases = decode_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "8 heads of 128 over a long cache, keys and values once, at the read roof",
                 .settings = cache(kHeads, kHeads,
                                   rows_beyond_l2({.row_bytes = 2 * 2 * kHeads * kDim, .multiple = 1024})),
                 .roof = "read",
                 .work = bytes_of_halves,
                 .thresholds = {{0, {.pass = 0.55, .good = 0.75, .excellent = 0.88}}}}},
      .structure = {kernels_between(1, 2), traffic_at_most(1.05, bytes_of_halves), no_local_memory()},
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

Part decode_bytes() {
  return {
      .letter = "c",
      .title = "decode C: attention for one token, with the cache in bytes",
      .program = {.header = "decode_int8.h",
                  .source = "decode_int8.cu",
                  .function = "decode_int8",
                  .arguments = {filled(in("q", query_elements, Type::kF16), fill_query),
                                filled(in("k", cache_elements, Type::kS8), fill_int8_keys),
                                filled(in("k_scales", cache_tokens, Type::kF16), fill_scales),
                                in("v", cache_elements, Type::kS8),
                                filled(in("v_scales", cache_tokens, Type::kF16), fill_scales),
                                out("out", query_elements, Type::kF16), size("heads", Type::kS32),
                                size("kv_heads", Type::kS32), size("n", Type::kS32),
                                scratch("scratch", scratch_floats), stream()},
                  .outputs = {{.argument = "out",
                               .reference = int8_reference,
                               .tolerance = {.c = 1, .u = kRoundoffF16},
                               .columns = [](const Settings&) { return kDim; }}}},
      .cases = int8_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "8 heads of 128 over a long cache of bytes, each once, at the read roof",
                 .settings = cache(kHeads, kHeads,
                                   rows_beyond_l2({.row_bytes = 2 * kHeads * (kDim + 2), .multiple = 1024})),
                 .roof = "read",
                 .work = bytes_of_int8,
                 .thresholds = {{0, {.pass = 0.55, .good = 0.72, .excellent = 0.85}}}}},
      .structure = {kernels_between(1, 2), traffic_at_most(1.05, bytes_of_int8), no_local_memory()},
      .steps =
          {{.id = "right",
            .title = "every head is right, each byte times its token's scale",
            .how =
                "Begin with your part B: load 8 bytes where it loads 16, and make floats of them. Which of "
                "the two scales does a score need, and what is the other one for?",
            .measurement = "bandwidth"},
           {.id = "in-flight",
            .title = "as many bytes on their way as in part B",
            .how = "A key is half as long: load 16 bytes a lane again, or four positions at once.",
            .measurement = "bandwidth",
            .at_least = 0.72},
           {.id = "conversions",
            .title = "no unit but DRAM is busy all the time",
            .how = "Count conversions, and products with a scale. One for each byte is many, one for each "
                   "position is few.",
            .measurement = "bandwidth",
            .at_least = 0.85}},
      // There conversions are the limit, here they are not yet.
      .second_device = "h200",
      .predictions = {{.key = "c_bytes",
                       .question = "bytes of one position of a cache: key, value and their scales",
                       .expected = 260,
                       .unit = "B"},
                      {.key = "c_microseconds",
                       .question = "time for 8 heads over 16384 positions on the A100-40 at its data-sheet "
                                   "bandwidth",
                       .expected = 21.9,
                       .factor = 1.05,
                       .unit = "us"},
                      {.key = "c_conversions",
                       .question = "time for one conversion for each of their bytes, scales aside, with 16 "
                                   "lanes an SM each clock",
                       .expected = 13.8,
                       .factor = 1.1,
                       .unit = "us"},
                      {.key = "c_scaled",
                       .question = "products with k_scales for a key of 128 bytes, at least",
                       .expected = 1},
                      {.key = "c_column",
                       .question = "a column of out: two positions with equal scores, value bytes 100 and "
                                   "-40, v_scales 0.5 and 0.25",
                       .expected = 20}},
      .any_block_order = true,
  };
}

}  // namespace roofline::grader
