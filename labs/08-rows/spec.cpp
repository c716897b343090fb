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
#include "grader/lab/sum.h"
#include "grader/lab/vectorised.h"

namespace roofline::grader {
namespace {

double elements(const Settings& s) { return s["rows"] * s["columns"]; }

// ---- what lies in the rows ----

constexpr std::uint16_t kInfinity = 0x7c00, kNegative = 0x8000, kNan = 0x7e00, kLargest = 0x7bff,
                        kLowest = kLargest | kNegative;
/// What the rows of a case are: as drawn, or of all kinds that a part has to get right.
enum Rows : std::uint8_t { kDrawn, kForSoftmax, kForLayerNorm };

void alternate(std::span<std::uint16_t> x, std::uint16_t even, std::uint16_t odd) {
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = i % 2 == 0 ? even : odd;
}

/// Rows in turn: all -inf, the first half -inf, one NaN, one +inf, all of the largest half, largest and
/// lowest by turns, one number among -inf, as drawn.
void for_softmax(std::uint64_t row, std::uint64_t seed, std::span<std::uint16_t> x) {
  constexpr std::uint16_t kMinusInfinity = kInfinity | kNegative;
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
      alternate(x, kLargest, kLowest);
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

/// Rows in turn: one NaN, +inf, -inf, all equal, largest and lowest by turns, one 0 and then all near 10000,
/// one half near 1000 and the other near -1000, as drawn.
void for_layer_norm(std::uint64_t row, std::uint64_t seed, std::span<std::uint16_t> x) {
  constexpr std::uint16_t kSpecial[] = {0, kNan, kInfinity, kInfinity | kNegative};
  constexpr std::uint16_t kThousand = 0x63d0, kTenThousand = 0x70e2, kFewBits = 15;
  const std::uint64_t place = random_bits(seed, row) % x.size(), kind = (row + 1) % 8;
  if (kind == 0) return;
  if (kind <= 3) {
    x[place] = kSpecial[kind];
  } else if (kind == 4) {
    std::ranges::fill(x, x[place]);
  } else if (kind == 5) {
    alternate(x, kLargest, kLowest);
  } else if (kind == 6) {
    for (std::uint16_t& each : x) each = kTenThousand + (each & 1U);
    x[0] = 0;
  } else {
    for (std::uint16_t& each : x) each = kThousand + (each & kFewBits);
    for (std::uint16_t& each : x.first(x.size() / 2)) each |= kNegative;
  }
}

/// Uniform within `spread` of `offset`, or rows of all kinds.
void fill_rows(const Settings& s, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF16, array, seed, s["offset"] - s["spread"], s["offset"] + s["spread"]);
  const auto columns = static_cast<std::size_t>(s["columns"]);
  const auto rows = static_cast<Rows>(s["special"]);
  if (rows == kDrawn || columns == 0) return;
  const std::span<std::uint16_t> all(reinterpret_cast<std::uint16_t*>(array.data()), array.size() / 2);
  for (std::size_t row = 0; row < all.size() / columns; ++row)
    (rows == kForSoftmax ? for_softmax : for_layer_norm)(row, seed, all.subspan(row * columns, columns));
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

NamedValues shape(double rows, double columns, double offset = 0, double spread = 8, Rows special = kDrawn) {
  return {{"rows", rows}, {"columns", columns}, {"offset", offset}, {"spread", spread}, {"special", special}};
}

std::string rows_of(double rows, double columns) {
  return whole(rows) + (rows == 1 ? " row of " : " rows of ") + whole(columns);
}

Case matrix(double rows, double columns, double spread) {
  return {.id = whole(rows) + "x" + whole(columns),
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
    Case shifted = misaligned(named("", "", shape(33, 256, 0, spread)), elements);
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

/// 4 bytes an element at each width. `longest`: what the longest rows have to reach where something else than
/// DRAM limits them.
std::vector<Goal> copy_goals(const ThresholdTable& longest = {}) {
  const std::pair<int, Thresholds> at_copy = {0, {.pass = 0.60, .good = 0.80, .excellent = 0.90}};
  std::vector<Goal> goals;
  for (const double columns : kWidths) {
    NamedValues settings = shape(0, columns);
    settings[0].second =
        rows_beyond_l2({.simulated = 4, .row_bytes = 4 * columns, .multiple = 8, .of_sms = columns > 1e5});
    goals.push_back({.id = "columns-" + whole(columns),
                     .title = "rows of " + whole(columns) + ": 4 bytes an element, at the copy roof",
                     .settings = settings,
                     .roof = "copy",
                     .work = [](const Settings& s) { return 4 * elements(s); },
                     .thresholds = {at_copy}});
  }
  goals.back().thresholds.insert(goals.back().thresholds.end(), longest.begin(), longest.end());
  return goals;
}

// ---- A: softmax ----

/// 2^x to within 10^-9 of its value for x from -1023, where it is 0, to 0; in operations that a compiler
/// vectorises.
inline double power_of_two(double x) {
  // 1.5 * 2^52: what is added to it is rounded to a whole number, which its lowest bits then hold.
  constexpr double kWhole = 0x1.8p52;
  const double shifted = x + kWhole, t = (x - (shifted - kWhole)) * 0.6931471805599453;
  // Taylor's series of exp, written out: no loop around a loop is vectorised.
  const double high = 1. / 120 + t * (1. / 720 + t * (1. / 5040 + t * (1. / 40'320 + t / 362'880)));
  const double series = 1 + t * (1 + t * (1. / 2 + t * (1. / 6 + t * (1. / 24 + t * high))));
  return series * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52U);
}

/// The largest number of a row, -inf where there is none. Halves are ordered as integers are, but for those
/// below 0, whose order is reversed.
ROOFLINE_VECTORISED double largest(std::span<const _Float16> row) {
  constexpr std::int16_t kNone = -1 - static_cast<std::int16_t>(kInfinity);  // as -inf below
  std::int16_t most = kNone;
  for (const _Float16 half : row) {
    const auto bits = std::bit_cast<std::int16_t>(half);
    const auto ordered = static_cast<std::int16_t>(bits ^ (bits >> 15 & 0x7fff));
    const bool is_nan = (bits & 0x7fff) > static_cast<int>(kInfinity);
    most = std::max(most, is_nan ? kNone : ordered);
  }
  return value_of(std::bit_cast<_Float16>(static_cast<std::int16_t>(most ^ (most >> 15 & 0x7fff))));
}

/// `powers` becomes exp(x - most) for each x of the row; returns their sum.
ROOFLINE_VECTORISED double exponentials(std::span<const _Float16> row, double most, double* powers) {
  constexpr double kLog2E = 1.4426950408889634, kLeast = -1023;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double exponent = (value_of(row[i]) - most) * kLog2E;
    powers[i] = exponent < kLeast ? kLeast : exponent;
  }
  for (std::size_t i = 0; i < row.size(); ++i) powers[i] = power_of_two(powers[i]);
  return sum_of({powers, row.size()}, [](double power) { return power; });
}

void softmax_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  std::vector<double> powers;
  each_row(call, begin, end,
           [&](std::uint64_t first, std::uint64_t last, std::span<const _Float16> row, std::uint64_t start) {
             powers.resize(row.size());
             const double sum = exponentials(row, largest(row), powers.data());
             // The exponent's product with log2(e) is rounded, and so is its power: in all 64 units at most
             // where the result is no zero in halves.
             const double error = 64 * kRoundoffF32 + sum_error(row.size());
             for (std::uint64_t i = first; i < last; ++i) {
               const double value = powers[i - start] / sum;
               expected[i - begin] = {value, with_error(value, value * error)};
             }
           });
}

std::vector<Case> softmax_cases() {
  std::vector<Case> cases = common(8);
  // More rows than a grid has blocks in y, of a width at which each has a block of its own.
  cases.push_back(matrix(66'000, 264, 8));
  cases.push_back(named("offset", "elements near 10000", shape(9, 300, 1e4, 16), "large elements"));
  cases.push_back(named("negative-offset", "elements near -10000", shape(5, 3000, -1e4, 16)));
  cases.push_back(named("whole-range", "elements from -60000 to 60000", shape(5, 4096, 0, 6e4)));
  for (const double columns : {6.0, 256.0, 3001.0, 20'000.0, 131'072.0}) {
    cases.push_back(named("special-" + whole(columns),
                          "rows of " + whole(columns) + " with NaN, +inf, -inf among them",
                          shape(columns > 1e5 ? 7 : 16, columns, 0, 8, kForSoftmax),
                          columns == 256 ? "rows with -inf and NaN" : ""));
  }
  return cases;
}

/// What both parts ask of a kernel: DRAM sees each row once, at three widths of which the worst counts.
Part read_once(Part part) {
  part.structure = {one_kernel(), traffic_at_most(1.1, [](const Settings& s) { return 4 * elements(s); }),
                    no_local_memory()};
  part.worst_goal_counts = true;
  part.given = {"halves.h"};
  return part;
}

Prediction at_the_data_sheet(const std::string& key) {
  return {.key = key,
          .question = "time for 8192 x 4096 elements on the A100-40 at its data-sheet bandwidth",
          .expected = 86.3,
          .factor = 1.25,
          .unit = "us"};
}

Part softmax() {
  return read_once({
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
      .goals = copy_goals(),
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
                      at_the_data_sheet("a_microseconds")},
  });
}

// ---- B: layer normalisation ----

/// Mean and variance of a row, and what float arithmetic may have added to a normalised element.
struct Moments {
  double mean = 0, variance = 0, shift = 0, scale = 0;
};

ROOFLINE_VECTORISED Moments moments(std::span<const double> row, double eps) {
  Moments of;
  const auto n = static_cast<double>(row.size());
  const double absolute = sum_of(row, [](double x) { return std::abs(x); });
  const double mean = of.mean = sum_of(row, [](double x) { return x; }) / n;
  of.variance = sum_of(row, [mean](double x) { return (x - mean) * (x - mean); }) / n;
  // A mean is off by the rounding of its sum; distances between means, squared, by that much relative to
  // the deviation.
  const double deviation = std::sqrt(of.variance + eps), of_mean = sum_error(row.size()) * absolute / n;
  of.shift = of_mean / deviation;
  of.scale = sum_error(row.size()) + of.shift + of.shift * of.shift + 16 * kRoundoffF32;
  return of;
}

ROOFLINE_VECTORISED void values_of(std::span<const _Float16> halves, double* values) {
  for (std::size_t i = 0; i < halves.size(); ++i) values[i] = value_of(halves[i]);
}

/// What comes out for elements x of a row, with their gammas and betas.
ROOFLINE_VECTORISED void normalised(const Moments& of, double eps, std::span<const double> x,
                                    const double* gamma, const double* beta, Expected* expected) {
  const double deviation = std::sqrt(of.variance + eps);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scaled = (x[i] - of.mean) / deviation * gamma[i];
    const double error = std::abs(gamma[i]) * of.shift + std::abs(scaled) * of.scale +
                         4 * kRoundoffF32 * (std::abs(scaled) + std::abs(beta[i]));
    expected[i] = {scaled + beta[i], with_error(scaled + beta[i], error)};
  }
}

void layer_norm_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto gammas = call.input<_Float16>("gamma"), betas = call.input<_Float16>("beta");
  std::vector<double> gamma(gammas.size()), beta(betas.size()), x(gammas.size());
  values_of(gammas, gamma.data());
  values_of(betas, beta.data());
  const double eps = call.scalar("eps");
  each_row(call, begin, end,
           [&](std::uint64_t first, std::uint64_t last, std::span<const _Float16> row, std::uint64_t start) {
             values_of(row, x.data());
             const std::uint64_t from = first - start;
             normalised(moments(x, eps), eps, std::span(x).subspan(from, last - first), gamma.data() + from,
                        beta.data() + from, expected + (first - begin));
           });
}

std::vector<Case> layer_norm_cases() {
  std::vector<Case> cases = common(8);
  cases.push_back(named("offset", "elements near 10000", shape(9, 300, 1e4, 16), "large elements"));
  cases.push_back(named("negative-offset", "elements near -10000", shape(5, 3000, -1e4, 16)));
  cases.push_back(named("offset-long", "100000 elements near 5000", shape(2, 100'000, 5e3, 8)));
  cases.push_back(named("whole-range", "elements from -60000 to 60000", shape(5, 4096, 0, 6e4)));
  for (const double eps : {1e-5, 1.0}) {
    cases.push_back(named(eps < 1 ? "small" : "eps-1", eps < 1 ? "elements below 0.01" : "eps = 1",
                          shape(16, 200, 0, eps < 1 ? 0.01 : 1), eps < 1 ? "" : "where eps belongs"));
    cases.back().settings.emplace_back("eps", eps);
  }
  for (const double columns : {6.0, 256.0, 3001.0, 20'000.0, 131'072.0})
    cases.push_back(named("special-" + whole(columns), "rows of " + whole(columns) + " of all kinds",
                          shape(columns > 1e5 ? 7 : 16, columns, 0, 8, kForLayerNorm),
                          columns == 256 ? "rows with NaN, equal elements" : ""));
  return cases;
}

Part layer_norm() {
  const auto columns = [](const Settings& s) { return s["columns"]; };
  return read_once({
      .letter = "b",
      .title = "rows B: layer normalisation, each row read once",
      .program = {.header = "layer_norm.h",
                  .source = "layer_norm.cu",
                  .function = "layer_norm",
                  .arguments = {matrix_in("x"), between(-2, 2, in("gamma", columns, Type::kF16)),
                                in("beta", columns, Type::kF16), out("y", elements, Type::kF16),
                                size("rows", Type::kS32), size("columns", Type::kS32),
                                between(1e-6, 1e-3, scalar("eps")), stream()},
                  .outputs = {{.argument = "y",
                               .reference = layer_norm_reference,
                               .tolerance = kRoundedOnce,
                               .columns = columns}}},
      .cases = layer_norm_cases(),
      // Beside 5.5 bytes of x and y, gamma and beta are 4 that L2 has to deliver: more than an H200's can in
      // the time of the copy.
      .goals = copy_goals({{90, {.pass = 0.50, .good = 0.60, .excellent = 0.70}}}),
      .predictions = {{.key = "b_bytes",
                       .question = "DRAM bytes for one element of a layer normalisation of halves",
                       .expected = 4,
                       .unit = "B"},
                      {.key = "b_spacing",
                       .question = "distance between neighbouring floats near the square of 10000",
                       .expected = 8},
                      {.key = "b_merged",
                       .question = "squared distances of all from their mean: four elements with mean 1 and "
                                   "squares 6, four with mean 3 and squares 2",
                       .expected = 16},
                      {.key = "b_l2",
                       .question =
                           "bytes that an element takes through L2 when each row reads gamma and beta",
                       .expected = 8,
                       .unit = "B"},
                      at_the_data_sheet("b_microseconds")},
  });
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "rows: softmax, layer normalisation", .parts = {softmax(), layer_norm()}};
}

}  // namespace roofline::grader
