// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "grader/lab/generate.h"
#include "grader/lab/half.h"

namespace roofline::grader {
namespace {

double elements(const Settings& s) { return s["rows"] * s["columns"]; }

// ---- what lies in the rows ----

constexpr std::uint16_t kInfinity = 0x7c00, kNegative = 0x8000, kNan = 0x7e00, kLargest = 0x7bff;

/// Rows in turn: all -inf, the first half -inf, one NaN, one +inf, all of the largest half, largest and
/// lowest by turns, one number among -inf, as drawn.
void make_special(std::uint64_t row, std::uint64_t seed, std::span<std::uint16_t> x) {
  constexpr std::uint16_t kMinusInfinity = kInfinity | kNegative, kLowest = kLargest | kNegative;
  const std::uint64_t place = random_bits(seed, row) % x.size();
  switch ((row + 1) % 8) {
    case 1:
      std::ranges::fill(x, kMinusInfinity);
      break;
    case 2:
      std::ranges::fill(x.first(x.size() / 2), kMinusInfinity);
      break;
    case 3:
      x[place] = kNan;
      break;
    case 4:
      x[place] = kInfinity;
      break;
    case 5:
      std::ranges::fill(x, kLargest);
      break;
    case 6:
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? kLargest : kLowest;
      break;
    case 7: {
      const std::uint16_t number = x[place];
      std::ranges::fill(x, kMinusInfinity);
      x[place] = number;
      break;
    }
    default:
      break;
  }
}

/// Uniform within `spread` of `offset`; with `special`, rows of all kinds.
void fill_rows(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF16, array, seed, s["offset"] - s["spread"], s["offset"] + s["spread"]);
  const auto columns = static_cast<std::size_t>(s["columns"]);
  if (s["special"] == 0 || columns == 0) return;
  const std::span<std::uint16_t> all(reinterpret_cast<std::uint16_t*>(array.data()), array.size() / 2);
  for (std::size_t row = 0; row < all.size() / columns; ++row)
    make_special(row, seed, all.subspan(row * columns, columns));
}

Argument matrix_in(const std::string& name) {
  Argument argument = in(name, elements, Type::kF16);
  argument.fill = fill_rows;
  return argument;
}

// ---- what a result may be off ----

/// Float sums of a row, in units of 2^-24 of the sum of its absolute values: no number goes through more
/// additions than this in a tree of 1024 threads that each add up what they have; longer chains of additions
/// usually do as well, because their rounding errors go both ways.
double sum_error(std::size_t columns) { return (32 + static_cast<double>(columns) / 512) * kRoundoffF32; }

/// The bound is 1 * 2^-11 * S: a half rounded to nearest is off by 2^-11 of its value. S is the value, and
/// what float arithmetic adds to it, in units of 2^-11.
double with_error(double value, double error) { return std::abs(value) + error / kRoundoffF16; }

const Tolerance kRoundedOnce{.c = 1, .u = kRoundoffF16};

/// Calls `one(first, last, row)` for each row that elements begin .. end are in, with the part of it.
template <class One>
void each_row(const CallView& call, std::uint64_t begin, std::uint64_t end, const One& one) {
  const auto columns = static_cast<std::uint64_t>(call.scalar("columns"));
  const auto x = call.input<_Float16>("x");
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t row = at / columns, last = std::min(end, (row + 1) * columns);
    one(at, last, x.subspan(row * columns, columns), row * columns);
    at = last;
  }
}

// ---- cases and goals ----

NamedValues shape(double rows, double columns, double offset = 0, double spread = 8, double special = 0) {
  return {{"rows", rows}, {"columns", columns}, {"offset", offset}, {"spread", spread}, {"special", special}};
}

std::string text(double number) { return std::to_string(static_cast<long long>(number)); }

std::string rows_of(double rows, double columns) {
  return text(rows) + (rows == 1 ? " row of " : " rows of ") + text(columns);
}

Case matrix(double rows, double columns, double spread) {
  return {.id = text(rows) + "x" + text(columns),
          .title = rows_of(rows, columns),
          .settings = shape(rows, columns, 0, spread)};
}

Case named(const std::string& id, const std::string& title, const NamedValues& settings,
           const std::string& tells = "") {
  Case result{.id = id, .title = title, .settings = settings};
  result.tells = tells;
  return result;
}

/// Shapes, addresses and rows that every part of the lab has to get right. The largest has many rows: it
/// shows how fast a program may be at most, and a few long rows leave most SMs without work.
std::vector<Case> common(double spread) {
  std::vector<Case> cases;
  for (const auto& [rows, columns] : std::initializer_list<std::pair<double, double>>{
           {0, 5},      {5, 0},       {1, 1},       {7, 31},    {8, 32},     {9, 33},
           {5, 255},    {9, 256},     {3, 257},     {2, 1023},  {3, 1024},   {3, 1025},
           {2, 4096},   {4, 5003},    {1, 32760},   {1, 65544}, {2, 131072}, {1, 131080},
           {1, 100003}, {20'001, 40}, {1300, 1000}, {66'000, 3}})
    cases.push_back(matrix(rows, columns, spread));
  cases.push_back(
      named("one-column", "rows of a single element", shape(300, 1, 0, spread), "rows of one element"));
  cases.push_back(named("multiple-of-4", "rows of 1028: a multiple of 4, not of 8", shape(6, 1028, 0, spread),
                        "rows that are no multiple of eight"));
  for (const unsigned elements : {1U, 2U, 4U}) {
    Case shifted = named("misaligned-" + std::to_string(elements),
                         "pointers " + std::to_string(elements) + (elements == 1 ? " element" : " elements") +
                             " past an aligned address",
                         shape(33, 256, 0, spread));
    shifted.misaligned_elements = elements;
    if (elements == 1) shifted.tells = "unaligned pointers";
    cases.push_back(std::move(shifted));
  }
  Case huge = matrix(70'000, 32'768, spread);
  huge.id = "beyond-2^31";
  huge.title = "more than 2^31 elements";
  huge.gpu_only = true;
  huge.needs_memory = 9'400'000'000;
  cases.push_back(huge);
  return cases;
}

/// Widths at which a row fits into the registers of a warp, of a block, and not at all.
constexpr double kWidths[] = {256, 4096, 131'072};

std::vector<Goal> copy_goals(double offset, double spread) {
  std::vector<Goal> goals;
  for (const double columns : kWidths) {
    NamedValues settings = shape(0, columns, offset, spread);
    settings[0].second =
        rows_beyond_l2({.simulated = 4, .row_bytes = 4 * columns, .multiple = 8, .of_sms = columns > 1e5});
    goals.push_back({.id = "columns-" + text(columns),
                     .title = "rows of " + text(columns) + ": 4 bytes an element, at the copy roof",
                     .settings = settings,
                     .roof = "copy",
                     .work = [](const Settings& s) { return 4 * elements(s); },
                     .thresholds = {{0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}}}});
  }
  return goals;
}

// ---- A: softmax ----

/// exp to within 10^-9 of its value, in operations that a compiler vectorises; for arguments up to 0.
double exponential(double x) {
  const double scaled = std::max(x * 1.4426950408889634, -1020.0);
  const double whole = std::floor(scaled + 0.5), t = (scaled - whole) * 0.6931471805599453;
  double series = 1;
  for (int k = 9; k > 0; --k) series = 1 + t / k * series;
  const double power =
      std::bit_cast<double>((static_cast<std::uint64_t>(static_cast<std::int64_t>(whole) + 1023)) << 52U);
  const bool vanishes = x < -700;
  return std::isnan(x) ? x : vanishes ? 0 : series * power;
}

void softmax_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  each_row(call, begin, end,
           [&](std::uint64_t first, std::uint64_t last, std::span<const _Float16> row, std::uint64_t start) {
             double most = -std::numeric_limits<double>::infinity(), sum = 0;
             for (const _Float16 half : row) most = std::max(most, value_of(half));
             for (const _Float16 half : row) sum += exponential(value_of(half) - most);
             // The exponent's product with log2(e) is rounded, and so is its power: in all 64 units at most
             // where the result is no zero in halves.
             const double error = 64 * kRoundoffF32 + sum_error(row.size());
             for (std::uint64_t i = first; i < last; ++i) {
               const double value = exponential(value_of(row[i - start]) - most) / sum;
               expected[i - begin] = {value, with_error(value, value * error)};
             }
           });
}

std::vector<Case> softmax_cases() {
  std::vector<Case> cases = common(8);
  cases.push_back(named("offset", "elements near 10000", shape(9, 300, 1e4, 16), "large elements"));
  cases.push_back(named("negative-offset", "elements near -10000", shape(5, 3000, -1e4, 16)));
  cases.push_back(named("whole-range", "elements from -60000 to 60000", shape(5, 4096, 0, 6e4)));
  for (const double columns : {6.0, 256.0, 3001.0, 20'000.0, 131'072.0}) {
    cases.push_back(named(
        "special-" + text(columns), "rows of " + text(columns) + " with NaN, +inf, -inf among them",
        shape(columns > 1e5 ? 7 : 16, columns, 0, 8, 1), columns == 256 ? "rows with -inf and NaN" : ""));
  }
  return cases;
}

Part softmax() {
  return {
      .letter = "a",
      .title = "rows A: softmax, each row read once",
      .program = {.header = "softmax.h",
                  .source = "softmax.cu",
                  .function = "softmax",
                  .arguments = {matrix_in("x"), out("y", elements, Type::kF16), size("rows", Type::kS32),
                                size("columns", Type::kS32), stream()},
                  .outputs = {{.argument = "y",
                               .reference = softmax_reference,
                               .tolerance = kRoundedOnce,
                               .columns = [](const Settings& s) { return s["columns"]; }}}},
      .cases = softmax_cases(),
      .goals = copy_goals(0, 8),
      .structure = {one_kernel(), traffic_at_most(1.1, [](const Settings& s) { return 4 * elements(s); }),
                    no_local_memory()},
      .predictions = {{.key = "a_bytes",
                       .question = "DRAM bytes for one element of a softmax of halves",
                       .expected = 4,
                       .unit = "B"},
                      {.key = "a_bytes_three_kernels",
                       .question = "and with three kernels: maxima, sums, results",
                       .expected = 8,
                       .unit = "B"},
                      {.key = "a_sum",
                       .question = "the running sum of 3, 5, 4 after all three, relative to the maximum",
                       .expected = std::exp(-2) + 1 + std::exp(-1),
                       .factor = 1.01},
                      {.key = "a_rows_in_l2",
                       .question = "rows of 131072 halves that fit into 40 MiB of L2",
                       .expected = 160,
                       .factor = 1.05},
                      {.key = "a_microseconds",
                       .question = "time for 8192 x 4096 elements on the A100-40 at its data-sheet bandwidth",
                       .expected = 86.3,
                       .factor = 1.25,
                       .unit = "us"}},
      .worst_goal_counts = true,
      .given = {"halves.h"},
  };
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() { return {.title = "rows: softmax", .parts = {softmax()}}; }

}  // namespace roofline::grader
