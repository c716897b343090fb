// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "grader/lab/generate.h"

namespace roofline::grader {
namespace {

/// What the eight parts have in common: a program that is right or wrong, and no roof. `settings`: one list
/// for each case.
Part part(std::string letter, std::string title, Program program, const std::vector<NamedValues>& settings,
          std::size_t telling) {
  Part result;
  result.letter = std::move(letter);
  result.title = std::move(title);
  result.repair = true;
  program.header = program.function + ".h";
  program.source = program.function + ".cu";
  for (const NamedValues& values : settings) {
    Case one;
    for (const auto& [name, value] : values) {
      one.id += (one.id.empty() ? "" : "-") + name + "-" + whole(value.at({}));
      one.title += (one.title.empty() ? "" : ", ") + name + " = " + whole(value.at({}));
    }
    one.settings = values;
    result.cases.push_back(std::move(one));
  }
  result.cases.at(telling).tells = "what is wrong in the file that was handed out";
  result.program = std::move(program);
  return result;
}

std::vector<NamedValues> sizes(std::initializer_list<double> all) {
  std::vector<NamedValues> settings;
  for (const double n : all) settings.push_back({{"n", n}});
  return settings;
}

std::vector<NamedValues> matrices(std::initializer_list<std::pair<double, double>> all) {
  std::vector<NamedValues> settings;
  for (const auto& [rows, columns] : all) settings.push_back({{"rows", rows}, {"columns", columns}});
  return settings;
}

double elements(const Settings& s) { return s["rows"] * s["columns"]; }

// ---- A: cubic ----

void cubic_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto xs = call.input<float>("x");
  for (auto i = begin; i < end; ++i) {
    const double x = xs[i];
    Expected& e = expected[i - begin] = {0, 0};
    for (const char* c : {"c3", "c2", "c1", "c0"}) {
      e.value = e.value * x + call.scalar(c);
      e.magnitude = e.magnitude * std::abs(x) + std::abs(call.scalar(c));
    }
  }
}

Part cubic() {
  Part result = part("a", "detective A: a polynomial",
                     {.function = "cubic",
                      .arguments = {in("x", "n"), out("y", "n"), size("n"), scalar("c0"), scalar("c1"),
                                    scalar("c2"), scalar("c3"), stream()},
                      .outputs = {{.argument = "y", .reference = cubic_reference, .tolerance = {.c = 8}}}},
                     sizes({1, 0, 33, 1000, 100'003}), 0);
  result.adapter = "cubic_worker.cu";  // two calls, one right behind the other
  return result;
}

// ---- B: smooth ----

struct Curve {
  std::vector<double> value, magnitude;
};

/// All weights are positive and their sum is 1: the same steps on absolute values are the error's measure.
Curve smoothed(std::span<const float> x, int steps) {
  Curve now, next;
  for (const float v : x) {
    now.value.push_back(v);
    now.magnitude.push_back(std::abs(static_cast<double>(v)));
  }
  next = now;
  const auto step = [](const std::vector<double>& from, std::vector<double>& to) {
    for (std::size_t i = 0; i < from.size(); ++i)
      to[i] = (from[i == 0 ? 0 : i - 1] + 2 * from[i] + from[std::min(i + 1, from.size() - 1)]) / 4;
  };
  for (int k = 0; k < steps; ++k) {
    step(now.value, next.value);
    step(now.magnitude, next.magnitude);
    std::swap(now, next);
  }
  return now;
}

Reference smooth_reference(const CallView& call) {
  const auto curve =
      std::make_shared<const Curve>(smoothed(call.input<float>("x"), static_cast<int>(call.scalar("steps"))));
  return [curve](const CallView&, std::uint64_t begin, std::uint64_t end, Expected* expected) {
    for (auto i = begin; i < end; ++i) expected[i - begin] = {curve->value[i], curve->magnitude[i]};
  };
}

constexpr double kSmoothRoundings = 4;  // of a step

/// A right curve after another number of steps says more than its elements.
WholeCheck check_steps(const CallView& call, const Settings&, std::span<const std::byte> got, std::uint64_t) {
  const int steps = static_cast<int>(call.scalar("steps"));
  const auto is_after = [&](int other) {
    const Curve curve = smoothed(call.input<float>("x"), other);
    const double u = kSmoothRoundings * (steps + 1) * kRoundoffF32;
    for (std::size_t i = 0; i < curve.value.size(); ++i) {
      const float y = reinterpret_cast<const float*>(got.data())[i];
      if (!(std::abs(static_cast<double>(y) - curve.value[i]) <= u * curve.magnitude[i])) return false;
    }
    return true;
  };
  if (is_after(steps)) return {};
  for (const int other : {steps - 1, steps + 1})
    if (is_after(other))
      return {.complaint = "y is the curve after " + whole(other) + (other == 1 ? " step" : " steps") +
                           " instead of " + whole(steps)};
  return {};
}

Part smooth() {
  std::vector<NamedValues> settings;
  for (const auto& [n, steps] : std::initializer_list<std::pair<double, double>>{
           {1000, 2}, {1000, 1}, {1, 3}, {2, 4}, {257, 5}, {256, 8}, {100'003, 4}, {5000, 7}})
    settings.push_back({{"n", n}, {"steps", steps}});
  return part("b", "detective B: a smoothed curve",
              {.function = "smooth",
               .arguments = {in("x", "n"), out("y", "n"),
                             scratch("scratch", [](const Settings& s) { return s["n"]; }), size("n"),
                             size("steps", Type::kS32), stream()},
               .outputs = {{.argument = "y",
                            .tolerance = {.c = kSmoothRoundings,
                                          .growth = [](const Settings& s) { return s["steps"]; }},
                            .whole = check_steps,
                            .reference_of = smooth_reference}}},
              settings, 0);
}

// ---- C: echo ----

void echo_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const double strength = call.scalar("strength");
  const auto lag = static_cast<std::uint64_t>(call.scalar("lag"));
  for (auto i = begin; i < end; ++i) {
    const double now = x[i], before = i < lag ? 0 : strength * x[i - lag];
    expected[i - begin] = {now + before, std::abs(now) + std::abs(before)};
  }
}

Part echo() {
  std::vector<NamedValues> settings;
  for (const auto& [n, lag] : std::initializer_list<std::pair<double, double>>{
           {1000, 100}, {0, 1}, {1, 1}, {33, 40}, {255, 1}, {257, 256}, {100'003, 4410}, {1023, 1023}})
    settings.push_back({{"n", n}, {"lag", lag}});
  return part(
      "c", "detective C: a sound and its echo",
      {.function = "echo",
       .arguments = {in("x", "n"), out("y", "n"), size("n"), size("lag"), scalar("strength"), stream()},
       .outputs = {{.argument = "y", .reference = echo_reference, .tolerance = {.c = 2}}}},
      settings, 0);
}

// ---- D: blend ----

void blend_reference(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto as = call.input<float>("a"), bs = call.input<float>("b");
  const double t = call.scalar("t");
  for (auto i = begin; i < end; ++i) {
    const double a = as[i], b = bs[i];
    expected[i - begin] = {a + t * (b - a), std::abs(a) + std::abs(t) * (std::abs(a) + std::abs(b))};
  }
}

Part blend() {
  return part("d", "detective D: from one picture to another",
              {.function = "blend",
               .arguments = {in("a", "n"), in("b", "n"), out("y", "n"), size("n"), scalar("t"), stream()},
               .outputs = {{.argument = "y", .reference = blend_reference, .tolerance = {.c = 4}}}},
              sizes({1000, 1024, 257, 255, 1, 0, 256, 31, 100'003}), 0);
}

// ---- E: row_sums ----

/// Columns are added up by 256 threads and then in a tree, or one after the other: any order is allowed.
double longest_chain(const Settings& s) { return std::max(8.0, s["columns"]); }

Reference row_sums_reference(const CallView&) {
  return [](const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
    const auto x = call.input<float>("x");
    const auto columns = static_cast<std::uint64_t>(call.scalar("columns"));
    for (auto r = begin; r < end; ++r) {
      Expected& e = expected[r - begin] = {0, 0};
      for (const float v : x.subspan(r * columns, columns)) {
        e.value += static_cast<double>(v);
        e.magnitude += std::abs(static_cast<double>(v));
      }
    }
  };
}

Part row_sums() {
  return part("e", "detective E: sums of rows",
              {.function = "row_sums",
               .arguments = {in("x", elements), out("y", "rows"), size("rows", Type::kS32),
                             size("columns", Type::kS32), stream()},
               .outputs = {{.argument = "y",
                            .tolerance = {.c = 1, .growth = longest_chain},
                            .reference_of = row_sums_reference}}},
              matrices({{3, 1000}, {1, 1}, {1, 31}, {5, 33}, {2, 256}, {7, 257}, {1, 10'007}, {100, 64}}), 0);
}

// ---- F: variation ----

Reference variation_reference(const CallView&) {
  return [](const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
    const auto x = call.input<float>("x");
    const auto columns = static_cast<std::uint64_t>(call.scalar("columns"));
    for (auto r = begin; r < end; ++r) {
      Expected& e = expected[r - begin] = {0, 0};
      const auto row = x.subspan(r * columns, columns);
      for (std::size_t c = 0; c + 1 < row.size(); ++c) {
        e.value += std::abs(static_cast<double>(row[c + 1]) - static_cast<double>(row[c]));
        e.magnitude += std::abs(static_cast<double>(row[c + 1])) + std::abs(static_cast<double>(row[c]));
      }
    }
  };
}

Part variation() {
  return part(
      "f", "detective F: restless rows",
      {.function = "variation",
       .arguments = {in("x", elements), out("y", "rows"), size("rows", Type::kS32),
                     size("columns", Type::kS32), stream()},
       .outputs = {{.argument = "y",
                    .tolerance = {.c = 1, .growth = longest_chain},
                    .reference_of = variation_reference}}},
      matrices({{3, 300}, {1, 1}, {1, 2}, {4, 257}, {2, 256}, {5, 258}, {3, 1025}, {1, 10'007}, {100, 20}}),
      0);
}

// ---- G: above ----

/// Numbers and the limit are multiples of 1 / kParts, so that some numbers are equal to it.
constexpr double kParts = 64;

void fill_parts(const Settings&, std::uint64_t seed, std::span<std::byte> array) {
  fill_random(Type::kF32, array, seed, -1, 1);
  const std::span<float> numbers(reinterpret_cast<float*>(array.data()), array.size() / sizeof(float));
  for (float& number : numbers)
    number = static_cast<float>(std::floor(static_cast<double>(number) * kParts) / kParts);
}

Reference above_reference(const CallView& call) {
  const double limit = call.scalar("limit");
  const auto x = call.input<float>("x");
  const auto count = static_cast<double>(
      std::ranges::count_if(x, [limit](float v) { return static_cast<double>(v) > limit; }));
  return [count](const CallView&, std::uint64_t, std::uint64_t, Expected* expected) {
    *expected = {count, 0};
  };
}

Part above() {
  Argument x = in("x", "n");
  x.fill = fill_parts;
  Part result =
      part("g", "detective G: how many are above",
           {.function = "above",
            .arguments = {x,
                          out(
                              "count", [](const Settings&) { return 1; }, Type::kU32),
                          size("n"), between(-0.5, 0.5, scalar("limit")), stream()},
            .outputs = {{.argument = "count", .tolerance = {.c = 0}, .reference_of = above_reference}}},
           sizes({1000, 1, 31, 256, 257, 100'003}), 0);
  for (Case& one : result.cases) one.settings.push_back({"limit", 0.25});
  // From -1/2 to 1/2, new in every run and each case.
  result.draw = [](Part& drawn, std::uint64_t seed) {
    for (std::size_t i = 0; i < drawn.cases.size(); ++i)
      for (auto& [name, value] : drawn.cases[i].settings)
        if (name == "limit") value = static_cast<double>(random_bits(seed, i) % 65) / kParts - 0.5;
  };
  return result;
}

// ---- H: centre ----

Reference centre_reference(const CallView& call) {
  struct Means {
    std::vector<double> value, magnitude;
  };
  const auto x = call.input<float>("x");
  const auto rows = static_cast<std::size_t>(call.scalar("rows")),
             columns = static_cast<std::size_t>(call.scalar("columns"));
  Means of_row{std::vector<double>(rows), std::vector<double>(rows)},
      of_column{std::vector<double>(columns), std::vector<double>(columns)};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double v = x[i], row_share = v / static_cast<double>(columns),
                 column_share = v / static_cast<double>(rows);
    of_row.value[i / columns] += row_share;
    of_row.magnitude[i / columns] += std::abs(row_share);
    of_column.value[i % columns] += column_share;
    of_column.magnitude[i % columns] += std::abs(column_share);
  }
  return [of_row, of_column, columns](const CallView& seen, std::uint64_t begin, std::uint64_t end,
                                      Expected* expected) {
    const auto values = seen.input<float>("x");
    for (auto i = begin; i < end; ++i) {
      const double v = values[i];
      expected[i - begin] = {v - of_row.value[i / columns] - of_column.value[i % columns],
                             std::abs(v) + of_row.magnitude[i / columns] + of_column.magnitude[i % columns]};
    }
  };
}

Part centre() {
  return part(
      "h", "detective H: a matrix without its means",
      {.function = "centre",
       .arguments = {in("x", elements), out("y", elements),
                     scratch("scratch", [](const Settings& s) { return s["rows"] + s["columns"]; }),
                     size("rows", Type::kS32), size("columns", Type::kS32), stream()},
       .outputs = {{.argument = "y",
                    .tolerance = {.c = 2,
                                  .growth =
                                      [](const Settings& s) { return std::max(s["rows"], s["columns"]); }},
                    .reference_of = centre_reference}}},
      matrices({{100, 200}, {1, 1}, {1, 300}, {300, 1}, {127, 129}, {31, 33}, {256, 128}}), 0);
}

// ---- I: programs without source ----

Part regimes_part() {
  return {.letter = "i",
          .title = "detective I: what twelve programs wait for",
          .program = {.source = "diagnosis.toml"},
          .about_sealed = true};
}

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {.title = "detective: find the bug",
          .parts = {cubic(), smooth(), echo(), blend(), row_sums(), variation(), above(), centre(),
                    regimes_part()}};
}

}  // namespace roofline::grader
