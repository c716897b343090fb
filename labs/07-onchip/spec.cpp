// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/generate.h"

namespace roofline::grader {
namespace {

// ---- A: transpose ----

void transposed(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const auto rows = static_cast<std::uint64_t>(call.scalar("rows"));
  const auto columns = static_cast<std::uint64_t>(call.scalar("columns"));
  for (auto i = begin; i < end; ++i) {
    const double value = x[i % rows * columns + i / rows];
    expected[i - begin] = {value, std::abs(value)};
  }
}

double elements(const Settings& s) { return s["rows"] * s["columns"]; }

Case matrix(std::uint64_t rows, std::uint64_t columns) {
  const std::string r = std::to_string(rows), c = std::to_string(columns);
  return {.id = r + "x" + c,
          .title = r + (rows == 1 ? " row of " : " rows of ") + c,
          .settings = {{"rows", static_cast<double>(rows)}, {"columns", static_cast<double>(columns)}}};
}

/// The same call with its pointers `elements` past an aligned address, beside the call that it is like.
Case shifted(const Case& like, unsigned elements) {
  Case one = misaligned(like, elements);
  one.id = like.id + "-" + one.id;
  one.title = like.title + ", " + one.title;
  return one;
}

/// The last two have more tiles of 32 x 32 in a row or a column than a grid has blocks in y.
constexpr std::pair<std::uint64_t, std::uint64_t> kShapes[] = {
    {0, 5},      {5, 0},       {1, 1},      {1, 1023},    {1023, 1},      {31, 33},      {32, 32},
    {33, 31},    {63, 65},     {64, 100},   {100, 64},    {64, 128},      {128, 64},     {255, 257},
    {256, 1000}, {1535, 1537}, {70'001, 3}, {2, 100'003}, {2'097'121, 1}, {1, 2'097'121}};

std::vector<Case> transpose_cases() {
  std::vector<Case> cases;
  for (const auto& [rows, columns] : kShapes) cases.push_back(matrix(rows, columns));
  for (const unsigned elements : {1U, 2U, 3U}) cases.push_back(misaligned(matrix(300, 500), elements));
  // Sides that are multiples of every tile, so that only the addresses forbid 16 bytes at once.
  cases.push_back(shifted(matrix(128, 192), 1));
  Case special = matrix(301, 499);
  special.id = "special";
  special.title = "NaN, infinities, -0 and denormals among the inputs";
  special.special_values = true;
  // 2^31 elements and more: a 32-bit index overflows.
  Case huge = matrix(46'343, 46'347);
  huge.id = "beyond-2^31";
  huge.title = "more than 2^31 elements";
  huge.gpu_only = true;
  huge.needs_memory = 18'500'000'000;
  return cases + std::vector<Case>{special, huge};
}

constexpr double kRowLength = 4160;  // a multiple of 64 and no power of two, as most matrices are

Part transpose() {
  return {
      .letter = "a",
      .title = "onchip A: a transposed matrix, through shared memory",
      .program = {.header = "transpose.h",
                  .source = "transpose.cu",
                  .function = "transpose",
                  .arguments = {in("x", elements), out("y", elements), size("rows", Type::kS32),
                                size("columns", Type::kS32), stream()},
                  .outputs = {{.argument = "y",
                               .reference = transposed,
                               .tolerance = {.c = 0},
                               .columns = [](const Settings& s) { return s["rows"]; }}}},
      .cases = transpose_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "8 bytes an element, at the copy roof",
                 .settings = {{"rows", rows_beyond_l2({.row_bytes = 8 * kRowLength, .multiple = 64})},
                              {"columns", kRowLength}},
                 .roof = "copy",
                 .work = [](const Settings& s) { return 8 * elements(s); },
                 .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}}},
      .structure = {one_kernel(), coalesced(1.10), no_bank_conflicts(1.05)},
      .predictions = {{.key = "a_bytes",
                       .question = "DRAM bytes for one element of a transposition",
                       .expected = 8,
                       .unit = "B"},
                      {.key = "a_sectors",
                       .question = "32-byte sectors that a warp touches when it writes a column of y",
                       .expected = 32},
                      {.key = "a_wavefronts",
                       .question = "wavefronts of a warp that reads a column of a float tile[32][32]",
                       .expected = 32},
                      {.key = "a_wavefronts_padded",
                       .question = "and of a float tile[32][33]",
                       .expected = 1},
                      {.key = "a_microseconds",
                       .question = "time for 8192 x 8192 elements on the A100-40 at its data-sheet bandwidth",
                       .expected = 345.3,
                       .factor = 1.25,
                       .unit = "us"}},
  };
}

// ---- B: reduce ----

/// What x holds; a setting that the function is not given.
enum Content : std::uint8_t { kAnySign, kPositive, kNegative, kOneInfinite };

void fill_floats(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const auto content = static_cast<Content>(s["content"]);
  fill_random(Type::kF32, array, seed, content == kPositive ? 0.5 : -1, content == kNegative ? -0.5 : 1);
  if (content != kOneInfinite || array.empty()) return;
  auto* x = reinterpret_cast<float*>(array.data());
  x[random_bits(seed, 0) % (array.size() / sizeof(float))] = std::numeric_limits<float>::infinity();
}

/// One pass over x for both outputs' single element; the exact sum to far below what is allowed.
Reference sum_of(const CallView& call) {
  Expected sum;
  for (const float v : call.input<float>("x")) {
    sum.value += static_cast<double>(v);
    sum.magnitude += std::abs(static_cast<double>(v));
  }
  return [sum](const CallView&, std::uint64_t, std::uint64_t, Expected* expected) { *expected = sum; };
}

Reference greatest_of(const CallView& call) {
  double greatest = -std::numeric_limits<double>::infinity();
  for (const float v : call.input<float>("x"))
    if (std::isnan(v) || static_cast<double>(v) > greatest) greatest = static_cast<double>(v);
  // Exact, whatever the sign of a zero: without a magnitude only the smallest number is allowed.
  return [greatest](const CallView&, std::uint64_t, std::uint64_t, Expected* expected) {
    *expected = {greatest, 0};
  };
}

/// An answer for nothing is asked for last: a function that returns early there is not an empty one.
std::vector<Case> nothing_last(std::vector<Case> cases) {
  std::ranges::stable_partition(cases, [](const Case& one) { return one.id != "n-0"; });
  return cases;
}

/// n numbers of one kind.
Case holding(std::string id, std::string title, double n, std::uint8_t content, std::string tells) {
  return {.id = std::move(id),
          .title = std::move(title),
          .settings = {{"content", content}, {"n", n}},
          .tells = std::move(tells)};
}

/// Fewer elements than there are before the first address that 16 divides.
std::vector<Case> shorter_than_the_head(std::uint8_t content) {
  std::vector<Case> cases;
  for (const unsigned n : {1U, 2U, 3U})
    cases.push_back(
        shifted(holding("n-" + std::to_string(n), "n = " + std::to_string(n), n, content, ""), 1));
  return cases;
}

double one(const Settings&) { return 1; }

std::vector<Case> reduce_cases() {
  std::vector<Case> cases = common_cases({.more_sizes = {4095, 4097}, .fixed = {{"content", kAnySign}}});
  return nothing_last(cases + shorter_than_the_head(kAnySign)) +
         std::vector<Case>{
             holding("negative", "only numbers below 0", 1000, kNegative, "numbers below 0"),
             holding("infinity", "one of them is infinite", 100'003, kOneInfinite, ""),
             holding("rounding", "a million positive numbers: does the sum round too often?", (1 << 20) + 3,
                     kPositive, ""),
             {.id = "beyond-2^32",
              .title = "more than 2^32 numbers",
              .settings = {{"content", kAnySign}, {"n", 4'294'967'296.0 + 1'000'003}},
              .gpu_only = true,
              .needs_memory = 18'500'000'000},
         };
}

Part reduce() {
  Argument x = in("x", "n");
  x.fill = fill_floats;
  return {
      .letter = "b",
      .title = "onchip B: the sum and the greatest of many floats",
      .program = {.header = "reduce.h",
                  .source = "reduce.cu",
                  .function = "reduce",
                  .arguments = {x, out("sum", one), out("max", one), size("n"),
                                scratch("scratch", [](const Settings&) { return 8192; }), stream()},
                  .outputs = {{.argument = "sum", .tolerance = {.c = 64}, .reference_of = sum_of},
                              {.argument = "max", .tolerance = {.c = 1}, .reference_of = greatest_of}}},
      .cases = reduce_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "4 bytes an element, at the read roof",
                 .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 4})},
                              {"content", kAnySign}},
                 .roof = "read",
                 .work = [](const Settings& s) { return 4 * s["n"]; },
                 .thresholds = {{0, {.pass = 0.60, .good = 0.75, .excellent = 0.85}}}}},
      .structure = {kernels_between(1, 2), coalesced(1.10)},
      .predictions =
          {{.key = "b_bytes", .question = "DRAM bytes for one element of a sum", .expected = 4, .unit = "B"},
           {.key = "b_steps", .question = "shuffles that bring the sum of a warp into lane 0", .expected = 5},
           {.key = "b_stuck",
            .question = "what one float has after adding 1 to itself 2^25 times, from 0 on",
            .expected = 16777216,
            .factor = 1},
           {.key = "b_microseconds",
            .question = "time for 2^28 floats on the A100-40 at its data-sheet bandwidth",
            .expected = 690.5,
            .factor = 1.25,
            .unit = "us"}},
      .any_block_order = true,
  };
}

// ---- C: histogram ----

constexpr std::uint64_t kBins = 256;

/// What x holds; a setting that the function is not given.
enum Keys : std::uint8_t { kUniform, kEqual, kZeros, kSigned, kRuns };

void fill_keys(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  const auto content = static_cast<Keys>(s["content"]);
  if (content == kEqual || content == kZeros) {
    const auto same = static_cast<std::byte>(content == kZeros ? 0 : random_bits(seed, 0));
    std::ranges::fill(array, same);
    return;
  }
  fill_random(Type::kU8, array, seed, -1, 1);
  if (content == kSigned)
    for (std::byte& b : array) b |= std::byte{0x80};
  if (content == kRuns)
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = array[i / 100 * 100];
}

/// One pass over x and w; a sum is compared bit by bit.
Reference bins_of(const CallView& call) {
  std::vector<std::uint32_t> bins(kBins);
  const auto keys = call.input<std::uint8_t>("x"), weights = call.input<std::uint8_t>("w");
  for (std::size_t i = 0; i < keys.size(); ++i) bins[keys[i]] += weights[i];
  return [bins](const CallView&, std::uint64_t begin, std::uint64_t end, Expected* expected) {
    for (auto i = begin; i < end; ++i) expected[i - begin].value = bins[i];
  };
}

std::vector<Case> histogram_cases() {
  std::vector<Case> cases = common_cases({.more_sizes = {15, 16, 17, 4095, 4097},
                                          .misaligned = {1, 3, 4, 8, 15},
                                          .special_values = false,
                                          .fixed = {{"content", kUniform}}});
  return nothing_last(cases + shorter_than_the_head(kUniform)) +
         std::vector<Case>{
             holding("equal", "all keys are the same", 300'007, kEqual, "equal keys"),
             holding("zeros", "all keys are 0", 1000, kZeros, ""),
             holding("from-128", "only keys from 128 on", 1000, kSigned, "keys from 128 on"),
             holding("runs", "a hundred equal keys after each other", 100'003, kRuns, ""),
             {.id = "beyond-2^31",
              .title = "more than 2^31 elements",
              .settings = {{"content", kUniform}, {"n", 2'147'483'648.0 + 1'000'003}},
              .gpu_only = true,
              .needs_memory = 5'000'000'000},
         };
}

Goal histogram_goal(std::string id, std::string title, Keys content) {
  return {.id = std::move(id),
          .title = std::move(title),
          .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 2})},
                       {"content", content}},
          .roof = "read",
          .work = [](const Settings& s) { return 2 * s["n"]; },
          .thresholds = {{0, {.pass = 0.50, .good = 0.65, .excellent = 0.75}}}};
}

Part histogram() {
  Argument x = in("x", "n", Type::kU8);
  x.fill = fill_keys;
  return {
      .letter = "c",
      .title = "onchip C: the weights of each key, added up",
      .program = {.header = "histogram.h",
                  .source = "histogram.cu",
                  .function = "histogram",
                  .arguments = {x, in("w", "n", Type::kU8),
                                out(
                                    "bins", [](const Settings&) { return kBins; }, Type::kU32),
                                size("n"), stream()},
                  .outputs = {{.argument = "bins", .tolerance = {.c = 0}, .reference_of = bins_of}},
                  .arrays_move_together = true},
      .cases = histogram_cases(),
      .goals = {histogram_goal("random", "random keys: two bytes an element, at the read roof", kUniform),
                histogram_goal("equal", "all keys the same: two bytes an element, at the read roof", kEqual)},
      .structure = {kernels_between(1, 2), coalesced(1.10)},
      .predictions = {{.key = "c_bytes",
                       .question = "DRAM bytes for one element of a weighted histogram",
                       .expected = 2,
                       .unit = "B"},
                      {.key = "c_turns",
                       .question = "wavefronts of a warp whose 32 lanes add to one word of shared memory",
                       .expected = 32},
                      {.key = "c_copies",
                       .question = "shared memory for a copy of the 256 sums for each lane of a warp",
                       .expected = 32,
                       .unit = "KiB"},
                      {.key = "c_microseconds",
                       .question = "time for 2^28 elements on the A100-40 at its data-sheet bandwidth",
                       .expected = 345.3,
                       .factor = 1.25,
                       .unit = "us"}},
      .worst_goal_counts = true,
  };
}

// ---- D: scan ----

/// What x holds: any 32 bits, or 1 everywhere, so that y[i] is i.
enum Numbers : std::uint8_t { kAnyBits, kOnes };

void fill_numbers(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kU32, array, seed, -1, 1);
  if (static_cast<Numbers>(s["content"]) == kOnes)
    std::ranges::fill(std::span(reinterpret_cast<std::uint32_t*>(array.data()), array.size() / 4), 1U);
}

/// One pass over x; a sum is compared bit by bit.
Reference running_sum_of(const CallView& call) {
  std::vector<std::uint32_t> sums;
  sums.reserve(call.input<std::uint32_t>("x").size());
  std::uint32_t sum = 0;
  for (const std::uint32_t number : call.input<std::uint32_t>("x")) {
    sums.push_back(sum);
    sum += number;
  }
  const auto kept = std::make_shared<const std::vector<std::uint32_t>>(std::move(sums));
  return [kept](const CallView&, std::uint64_t begin, std::uint64_t end, Expected* expected) {
    for (auto i = begin; i < end; ++i) expected[i - begin].value = (*kept)[i];
  };
}

std::vector<Case> scan_cases() {
  return std::vector<Case>{holding("ones-1000", "a thousand ones: y[i] is i", 1000, kOnes, "a sum of ones"),
                           holding("ones-100000", "100000 ones: y[i] is i", 100'000, kOnes, "")} +
         nothing_last(common_cases({.more_sizes = {1024, 1025, 4095, 4096, 4097, 300'001},
                                    .special_values = false,
                                    .fixed = {{"content", kAnyBits}}})) +
         std::vector<Case>{
             holding("ones-4000000", "4 million ones, in more tiles than an A100 has places for blocks",
                     4'000'000, kOnes, ""),
             {.id = "beyond-2^31",
              .title = "more than 2^31 numbers",
              .settings = {{"content", kAnyBits}, {"n", 2'147'483'648.0 + 1'000'003}},
              .gpu_only = true,
              .needs_memory = 18'500'000'000}};
}

Part scan() {
  Argument x = in("x", "n", Type::kU32);
  x.fill = fill_numbers;
  const auto room = [](const Settings& s) { return std::floor(s["n"] / 1024) + 1024; };
  return {
      .letter = "d",
      .title = "onchip D: a running sum, in one pass",
      .program = {.header = "scan.h",
                  .source = "scan.cu",
                  .function = "scan",
                  .arguments = {x, out("y", "n", Type::kU32), size("n"), scratch("scratch", room, Type::kU64),
                                stream()},
                  .outputs = {{.argument = "y", .tolerance = {.c = 0}, .reference_of = running_sum_of}}},
      .cases = scan_cases(),
      .goals = {{.id = "bandwidth",
                 .title = "8 bytes an element, at the copy roof",
                 .settings = {{"n", l2_multiple({.simulated = 4, .gpu = 16, .bytes_per_element = 8})},
                              {"content", kAnyBits}},
                 .roof = "copy",
                 .work = [](const Settings& s) { return 8 * s["n"]; },
                 .thresholds = {{0, {.pass = 0.40, .good = 0.60, .excellent = 0.80}}}}},
      .structure = {kernels_between(1, 3), coalesced(1.10)},
      .predictions =
          {{.key = "d_bytes",
            .question = "DRAM bytes for one element of a running sum",
            .expected = 8,
            .unit = "B"},
           {.key = "d_bytes_three_passes",
            .question = "and with three kernels: tiles, sums, and the sums added to y",
            .expected = 16,
            .unit = "B"},
           {.key = "d_lane",
            .question = "what lane 5 has after the first three steps (1, 2, 4) over lanes that hold 1 each",
            .expected = 6},
           {.key = "d_microseconds",
            .question = "time for 2^28 numbers on the A100-40 at its data-sheet bandwidth",
            .expected = 1381,
            .factor = 1.25,
            .unit = "us"}},
      .any_block_order = true,
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "onchip: shared memory, banks, warps",
          .parts = {transpose(), reduce(), histogram(), scan()}};
}

}  // namespace roofline::grader
