// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The bars of the time model, on every published measurement in published.cases and tuned.cases.
#include "simulator/tests/published.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iomanip>

namespace roofline::sim {
namespace {

const std::vector<std::string> kCases = {SIMULATOR_SOURCE "/tests/published.cases",
                                         SIMULATOR_SOURCE "/tests/tuned.cases"};
constexpr size_t kWorst = 10;
const std::string kPage = SIMULATOR_SOURCE "/../../docs/model-against-published.md";

const std::vector<Measurement>& all() {
  static const auto measurements = published_measurements(kCases, std::string(SIMULATOR_SOURCE) + "/devices");
  return measurements;
}

struct Spread {
  size_t count = 0;
  double median = 0, ninth = 0, worst = 0;  ///< ninth: the 90th percentile
};

Spread spread_of(const std::vector<Measurement>& measurements, auto wanted) {
  std::vector<double> errors;
  for (const auto& m : measurements)
    if (m.counted && wanted(m)) errors.push_back(std::abs(m.error()));
  std::sort(errors.begin(), errors.end());
  const size_t count = errors.size();
  return count == 0 ? Spread{} : Spread{count, errors[count / 2], errors[count * 9 / 10], errors.back()};
}

std::string percent(double value, bool sign = false) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << (sign ? std::showpos : std::noshowpos) << 100 * value << " %";
  return text.str();
}

std::string figure(double value) {
  std::ostringstream text;
  text << std::setprecision(value >= 1000 ? static_cast<int>(std::log10(value)) + 1 : 4) << value;
  return text.str();
}

/// Lines "# WORD NAME = TEXT" of the files, in their order.
std::vector<std::pair<std::string, std::string>> remarks(const std::string& word) {
  const std::string begin = "# " + word + " ";
  std::vector<std::pair<std::string, std::string>> all;
  std::string line;
  for (const std::string& cases : kCases) {
    std::ifstream file(cases);
    while (std::getline(file, line))
      if (const size_t equals = line.find(" = "); line.starts_with(begin) && equals != line.npos)
        all.push_back({line.substr(begin.size(), equals - begin.size()), line.substr(equals + 3)});
  }
  return all;
}

std::string source_lines() {
  std::string text;
  for (const auto& [name, source] : remarks("source")) text += "- **" + name + "**: " + source + "\n";
  return text;
}

/// Kernels that work in tiles or were tuned: whole programs, with bars of their own.
bool is_tuned(const Measurement& m) {
  return m.kind == "product" || m.kind == "tensor-tile" || m.kind == "dedispersion";
}

/// The held-out points with the largest errors, the worst first.
std::vector<const Measurement*> worst(const std::vector<Measurement>& measurements, size_t count) {
  std::vector<const Measurement*> all;
  for (const auto& m : measurements)
    if (m.counted && !m.fitted) all.push_back(&m);
  std::sort(all.begin(), all.end(),
            [](const auto* a, const auto* b) { return std::abs(a->error()) > std::abs(b->error()); });
  all.resize(std::min(all.size(), count));
  return all;
}

std::string cause_of(const Measurement& m) {
  for (const auto& [name, cause] : remarks("cause"))
    if (name == m.kind + ' ' + m.card + ' ' + m.arguments) return cause;
  return "";
}

std::string summary(const std::vector<Measurement>& measurements) {
  std::string text =
      "| measurement | held out | median error | 90th percentile | worst | fitted | worst "
      "|\n|---|---|---|---|---|---|---|\n";
  const auto row = [&](const std::string& name, auto wanted) {
    const Spread held = spread_of(measurements, [&](const auto& m) { return wanted(m) && !m.fitted; });
    const Spread fitted = spread_of(measurements, [&](const auto& m) { return wanted(m) && m.fitted; });
    text += "| " + name + " | " + std::to_string(held.count) + " | " +
            (held.count ? percent(held.median) : "") + " | " + (held.count ? percent(held.ninth) : "") +
            " | " + (held.count ? percent(held.worst) : "") + " | " + std::to_string(fitted.count) + " | " +
            (fitted.count ? percent(fitted.worst) : "") + " |\n";
  };
  std::vector<std::string> kinds;
  for (const auto& m : measurements)
    if (std::find(kinds.begin(), kinds.end(), m.kind) == kinds.end()) kinds.push_back(m.kind);
  for (const auto& kind : kinds) row(kind, [&](const auto& m) { return m.kind == kind; });
  row("**streams, caches, arithmetic, launches, copies**", [](const auto& m) { return !is_tuned(m); });
  row("**tiled and tuned kernels**", is_tuned);
  return text;
}

/// Two versions of one program on one card: the same kernel in other launches.
bool are_versions(const Measurement& a, const Measurement& b) {
  const auto program = [](const Measurement& m) {
    std::string name = m.kind + ' ' + m.card;
    for (const char* key : {"op", "mode", "type"})
      if (m.values.contains(key)) name += ' ' + m.word(key);
    return name;
  };
  return program(a) == program(b);
}

double rank_correlation(const std::vector<const Measurement*>& some) {
  const auto ranks = [&](auto value) {
    std::vector<double> rank;
    for (const auto* m : some) {
      double below = 0;
      for (const auto* other : some)
        below += value(*other) < value(*m) ? 1 : value(*other) == value(*m) ? 0.5 : 0;
      rank.push_back(below);
    }
    return rank;
  };
  const auto published = ranks([](const Measurement& m) { return m.published_speed(); });
  const auto model = ranks([](const Measurement& m) { return m.model_speed(); });
  const double mean = static_cast<double>(some.size()) / 2;
  double both = 0, first = 0, second = 0;
  for (size_t i = 0; i < some.size(); ++i) {
    both += (published[i] - mean) * (model[i] - mean);
    first += (published[i] - mean) * (published[i] - mean);
    second += (model[i] - mean) * (model[i] - mean);
  }
  return both / std::sqrt(first * second);
}

/// What a grade needs of the model, for the measurements of one kind on one card.
struct Order {
  std::string kind, card;
  size_t count = 0, pairs = 0, right = 0;  ///< pairs: versions of one program that differ by more than 1.3x
  double correlation = 0;                  ///< of ranks
  double favourite = 1;  ///< worst of its programs: the best version beside the one the model likes best
};

std::vector<Order> orders_of(const std::vector<Measurement>& measurements) {
  std::vector<Order> orders;
  for (const auto& first : measurements) {
    if (!orders.empty() && orders.back().kind == first.kind && orders.back().card == first.card) continue;
    std::vector<const Measurement*> some;
    for (const auto& m : measurements)
      if (m.counted && m.kind == first.kind && m.card == first.card) some.push_back(&m);
    if (some.size() < 8) continue;
    Order order{.kind = first.kind, .card = first.card, .count = some.size()};
    order.correlation = rank_correlation(some);
    for (const auto* a : some) {
      const Measurement *best = a, *favourite = a;
      for (const auto* b : some) {
        if (!are_versions(*a, *b)) continue;
        if (a->published_speed() > 1.3 * b->published_speed()) {
          ++order.pairs;
          order.right += a->model_speed() > b->model_speed();
        }
        if (b->published_speed() > best->published_speed()) best = b;
        if (b->model_speed() > favourite->model_speed()) favourite = b;
      }
      order.favourite = std::max(order.favourite, best->published_speed() / favourite->published_speed());
    }
    orders.push_back(order);
  }
  return orders;
}

std::string order_table(const std::vector<Measurement>& measurements) {
  std::string text =
      "| measurement | | versions | rank correlation | pairs apart by more than 1.3x in the right order | "
      "favourite |\n"
      "|---|---|---|---|---|---|\n";
  for (const Order& order : orders_of(measurements)) {
    std::ostringstream row;
    row << std::fixed << std::setprecision(2) << "| " << order.kind << " | " << order.card << " | "
        << order.count << " | " << order.correlation << " | " << order.right << " of " << order.pairs << " | "
        << order.favourite << " |\n";
    text += row.str();
  }
  return text;
}

std::string worst_table(const std::vector<Measurement>& measurements) {
  std::string text = "| measurement | | published | simulated | error | cause |\n|---|---|---|---|---|---|\n";
  for (const Measurement* m : worst(measurements, kWorst))
    text += "| " + m->kind + ", " + m->card + " | " + m->arguments + " | " + figure(m->published) + " " +
            m->unit + " | " + figure(m->model) + " | " + percent(m->error(), true) + " | " + cause_of(*m) +
            " |\n";
  return text;
}

std::string page(const std::vector<Measurement>& measurements) {
  std::string text =
      "# The time model against published measurements\n\n"
      "Every line of `common/simulator/tests/published.cases` and `tuned.cases` and what the model says "
      "(simulated figures are the model's). *Fitted*: a constant of the GPU was chosen by this measurement, "
      "or "
      "the model was mended after a look at it; *held out*: neither; *replaced*: its source has corrected it "
      "since, so nothing counts it. The page is made by "
      "`ROOFLINE_UPDATE_PAGES=1 ctest -R Published.PageIsCurrent`; the formulas and what is not "
      "modelled are in [the time model](simulator-model.md), the constants in [the "
      "devices](devices.md). Roofs and labs compared with GPUs that were measured with this repository: "
      "[simulated against measured](results/labs.md).\n\n"
      "## Summary\n\n" +
      summary(measurements) +
      "\n## Order\n\nAll measurements of a kind on a GPU by rank; pairs and favourites among the sizes of "
      "one "
      "kernel. Favourite: how much faster the best version is than the one that the model takes for the "
      "best.\n\n" +
      order_table(measurements) + "\n## Worst\n\nThe ten held-out measurements with the largest errors.\n\n" +
      worst_table(measurements) + "\n## Sources\n\n" + source_lines();
  std::string heading;
  for (const auto& m : measurements) {
    const std::string here = "\n## " + m.kind + ", " + m.card + "\n\n";
    if (here != heading)
      text += here + "| | published | simulated | error | | source |\n|---|---|---|---|---|---|\n";
    heading = here;
    text += "| " + (m.arguments.empty() ? m.kind : m.arguments) + " | " + figure(m.published) + " " + m.unit +
            " | " + figure(m.model) + " | " + percent(m.error(), true) + " | " +
            (!m.counted ? "replaced, not counted"
             : m.fitted ? "fitted"
                        : "held out") +
            " | " + m.source + " |\n";
  }
  return text;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The bar, on what the model was not fitted to: median 5 %, 90th percentile 15 %, worst 25 %. One point is
// known to be beyond: below 64 rounds the loop of GH200's intensity sweep reads one bank of registers four
// times for two FMAs, and the model knows no banks.
TEST(Published, HeldOutErrorsAreWithinTheBar) {
  const Spread held = spread_of(all(), [](const auto& m) { return !m.fitted && !is_tuned(m); });
  EXPECT_GT(held.count, 280u);
  EXPECT_LT(held.median, 0.05);
  EXPECT_LT(held.ninth, 0.15);
  EXPECT_LT(held.worst, 0.31);
  for (const auto& m : all()) {
    const bool known = m.kind == "gpu-roofline" && m.card == "gh200" && m.arguments == "flop_per_byte=12.25";
    if (!m.fitted && m.counted && !known && !is_tuned(m)) {
      EXPECT_LT(std::abs(m.error()), 0.25) << m.kind << ' ' << m.card << ' ' << m.arguments << ": published "
                                           << m.published << ", model " << m.model;
    }
  }
  RecordProperty("held_out_median", percent(held.median));
  RecordProperty("held_out_ninth", percent(held.ninth));
  RecordProperty("held_out_worst", percent(held.worst));
}

// A constant that was fitted must show its measurement: a looser one was fitted to something else.
TEST(Published, FittedOnesFit) {
  for (const auto& m : all()) {
    if (m.fitted && !is_tuned(m)) {
      EXPECT_LT(std::abs(m.error()), 0.15) << m.kind << ' ' << m.card << ' ' << m.arguments << ": published "
                                           << m.published << ", model " << m.model;
    }
  }
  EXPECT_LT(spread_of(all(), [](const auto& m) { return m.fitted && !is_tuned(m); }).median, 0.03);
}

// The copy roof (gpu-stream's scale at full occupancy) within 3 % on every card that has been measured.
TEST(Published, CopyRoofs) {
  int roofs = 0;
  for (const auto& m : all())
    if (m.kind == "gpu-stream" && m.word("op") == "scale" && m.number("threads") >= 768) {
      EXPECT_NEAR(m.model / m.published, 1, 0.03) << m.card;
      ++roofs;
    }
  EXPECT_GE(roofs, 7);
}

// A grade needs no more of the model than the order of versions and which one is best.
TEST(Published, RanksAndFavouritesAreRight) {
  const auto orders = orders_of(all());
  EXPECT_GT(orders.size(), 10u);
  for (const Order& order : orders) {
    // Nine tenths of the configurations are within 20 % of each other: ranks say as much of the model's
    // errors of 3 % as of them.
    if (order.kind != "dedispersion") {
      EXPECT_GT(order.correlation, 0.9) << order.kind << ' ' << order.card;
    }
    EXPECT_LT(order.favourite, 1.15) << order.kind << ' ' << order.card;
  }
}

// Of two versions that differ by more than 1.3x the model tells which is quicker.
TEST(Published, OrderIsRight) {
  int pairs = 0;
  for (const auto& a : all())
    for (const auto& b : all())
      if (a.counted && b.counted && !is_tuned(a) && are_versions(a, b) && a.published > 1.3 * b.published) {
        EXPECT_GT(a.model, b.model) << a.kind << ' ' << a.card << ": " << a.arguments << " and "
                                    << b.arguments;
        ++pairs;
      }
  EXPECT_GT(pairs, 400);
}

// The bar is a median of 15 % and 0.97 of the pairs in order. The four Tensor Core tiles do not keep the
// first: loads that all SMs wait for together come back too soon. Breaks when a change of the model spoils
// the ladder or the tuner's order.
TEST(Published, TiledAndTunedKernels) {
  const auto held_out = [](const std::string& kind) {
    return spread_of(all(), [&](const auto& m) { return m.kind == kind && !m.fitted; });
  };
  EXPECT_EQ(held_out("dedispersion").count, 298u);
  EXPECT_LT(held_out("dedispersion").median, 0.05);
  EXPECT_LT(held_out("dedispersion").ninth, 0.15);
  EXPECT_EQ(held_out("product").count, 26u);
  EXPECT_LT(held_out("product").median, 0.15);
  EXPECT_LT(held_out("tensor-tile").median, 0.25);
  for (const Order& order : orders_of(all())) {
    if (order.kind == "product" || order.kind == "tensor-tile" || order.kind == "dedispersion") {
      EXPECT_GE(order.right * 100, order.pairs * 97) << order.kind;
    }
  }
}

// What a reader of the page wants to know of a miss.
TEST(Published, TheWorstHaveACause) {
  for (const Measurement* m : worst(all(), kWorst))
    EXPECT_NE(cause_of(*m), "") << m->kind << ' ' << m->card << ' ' << m->arguments
                                << ": add a line \"# cause\"";
}

TEST(Published, PageIsCurrent) {
  const std::string now = page(all());
  if (std::getenv("ROOFLINE_UPDATE_PAGES")) std::ofstream(kPage) << now;
  EXPECT_EQ(text_of(kPage), now) << "run ROOFLINE_UPDATE_PAGES=1 ./lab test -R Published.PageIsCurrent";
}

TEST(Published, WrongLinesAreNamed) {
  const std::string path = testing::TempDir() + "/wrong.cases";
  const auto error_of = [&](const std::string& line) -> std::string {
    std::ofstream(path) << "# a comment\n" << line << "\n";
    try {
      published_measurements({path}, std::string(SIMULATOR_SOURCE) + "/devices");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(error_of("gpu-stream t4 op=read threads=32 = 3 GB/s").find("wrong.cases:2: "), std::string::npos);
  EXPECT_NE(error_of("card x = t4 smss=3").find("no such key: smss=3"), std::string::npos);
  EXPECT_NE(error_of("unknown t4 = 3 GB/s fitted nobody"), "");
  EXPECT_EQ(error_of("launch t4 = 3 us fitted nobody"), "");
}

}  // namespace
}  // namespace roofline::sim
