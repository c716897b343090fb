// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "grader/base/file.h"
#include "grader/base/units.h"

// docs/results/probes.md is made of measured-CARD.probes.txt and simulated-CARD.probes.txt, as .ci/gpu writes
// them: run with ROOFLINE_UPDATE_PAGES=1 where a file changed.
namespace roofline::grader::probes_page {
namespace {

namespace fs = std::filesystem;

const fs::path kResults = fs::path(ROOFLINE_SOURCE) / "docs" / "results";

/// One file: lines `# KEY: VALUE`, then lines `KIND key=value ... = FIGURE UNIT`.
struct Probes {
  struct Line {
    std::string name, unit;
    double figure = 0;
    std::string kind() const { return name.substr(0, name.find(' ')); }
  };
  std::map<std::string, std::string> about;
  std::vector<Line> lines;
};

Probes parse(const std::string& text) {
  Probes probes;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with("# ")) {
      const std::size_t colon = line.find(": ");
      EXPECT_NE(colon, std::string::npos) << line;
      probes.about[line.substr(2, colon - 2)] = line.substr(colon + 2);
      continue;
    }
    const std::size_t sign = line.rfind(" = ");
    std::istringstream rest(sign == std::string::npos ? "" : line.substr(sign + 3));
    Probes::Line one{.name = line.substr(0, sign), .unit = {}, .figure = 0};
    EXPECT_TRUE(rest >> one.figure >> one.unit) << line;
    probes.lines.push_back(std::move(one));
  }
  return probes;
}

Probes read(const std::string& name) {
  return fs::exists(kResults / name) ? parse(read_file(kResults / name)) : Probes();
}

std::vector<std::string> cards() {
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(kResults)) {
    const std::string name = entry.path().filename(), begin = "measured-", end = ".probes.txt";
    if (name.starts_with(begin) && name.ends_with(end))
      all.push_back(name.substr(begin.size(), name.size() - begin.size() - end.size()));
  }
  std::ranges::sort(all);
  return all;
}

std::string percent(double fraction, const char* format = "%.0f %%") {
  return format_number(format, 100 * fraction);
}

/// A program of one card: what was measured, what the model says, or both.
struct Point {
  std::string name, unit;
  std::optional<double> measured, simulated;
  /// Lines that have a table of their own; the many kernels that were drawn are told apart from their kinds.
  std::string group() const {
    return name.starts_with("drawn seed=") ? "drawn-mix" : name.substr(0, name.find(' '));
  }
  /// What a key says: "rate" of mode in `drawn kind=xor mode=rate`.
  std::string value(const std::string& key) const {
    const std::size_t at = name.find(" " + key + "=");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + key.size() + 2;
    return name.substr(begin, name.find(' ', begin) - begin);
  }
  /// The difference of two times may come out as nothing, or less: no error is a share of that.
  std::optional<double> error() const {
    if (!measured || !simulated || !(*measured > 0)) return {};
    return *simulated / *measured - 1;
  }
};

std::vector<Point> points_of(const Probes& measured, const Probes& simulated) {
  std::vector<Point> points;
  std::map<std::string, std::size_t> places;
  const auto add = [&](const Probes& probes, std::optional<double> Point::*figure) {
    for (const Probes::Line& line : probes.lines) {
      if (line.kind() == "host") continue;  // the host's own clock: no figure of a GPU
      const auto [place, fresh] = places.try_emplace(line.name, points.size());
      if (fresh) points.push_back({.name = line.name, .unit = line.unit, .measured = {}, .simulated = {}});
      EXPECT_EQ(points[place->second].unit, line.unit) << line.name;
      points[place->second].*figure = line.figure;
    }
  };
  add(measured, &Point::measured);
  add(simulated, &Point::simulated);
  return points;
}

std::vector<std::string> groups_of(const std::vector<Point>& points) {
  std::vector<std::string> groups;
  for (const Point& point : points)
    if (std::ranges::find(groups, point.group()) == groups.end()) groups.push_back(point.group());
  return groups;
}

std::vector<Point> of_group(std::vector<Point> points, const std::string& group) {
  std::erase_if(points, [&](const Point& point) { return point.group() != group; });
  return points;
}

std::vector<double> errors_of(const std::vector<Point>& points) {
  std::vector<double> errors;
  for (const Point& point : points)
    if (const auto error = point.error()) errors.push_back(std::abs(*error));
  std::ranges::sort(errors);
  return errors;
}

std::string summary_of(const std::vector<Point>& points) {
  std::string text = "| probe | points | median error | 90th percentile | worst |\n|---|---|---|---|---|\n";
  for (const std::string& group : groups_of(points)) {
    const std::vector<double> errors = errors_of(of_group(points, group));
    if (errors.empty()) continue;
    text += "| " + group + " | " + std::to_string(errors.size()) + " | " +
            percent(errors[errors.size() / 2]) + " | " + percent(errors[errors.size() * 9 / 10]) + " | " +
            percent(errors.back()) + " |\n";
  }
  return text;
}

/// measured | simulated | error, as far as there are any.
std::string cells(const Point& point) {
  const auto error = point.error();
  std::string text = point.measured ? compact(*point.measured, 4) + " " + point.unit + " | " : " | ";
  if (point.simulated) text += compact(*point.simulated, 4);
  if (point.simulated && !point.measured) text += " " + point.unit;
  return text + " | " + (error ? percent(*error, "%+.0f %%") : "") + " |";
}

std::string table_of(const std::vector<Point>& points) {
  std::string text = "| | measured | simulated | error |\n|---|---|---|---|\n";
  for (const Point& point : points) {
    const std::size_t space = point.name.find(' ');
    text += "| " + (space == std::string::npos ? point.name : point.name.substr(space + 1)) + " | " +
            cells(point) + "\n";
  }
  return text;
}

/// Each kind of instruction in one line: as fast as an SM takes it, and in a chain.
std::string kinds_table(const std::vector<Point>& points) {
  std::string text =
      "Clocks of an SM for one more instruction of a warp, by the difference of two times: *rate*, of 16 "
      "warps "
      "with four chains each, and *chain*, of one warp with one. An SM issues four instructions a clock, so "
      "a rate "
      "below 0.25 says that ptxas joined instructions or left some out of the loop, as it may where nothing "
      "uses "
      "their result; such figures tell little of the instruction, and those below zero nothing.\n\n"
      "| | rate, measured | simulated | error | chain, measured | simulated | error |\n"
      "|---|---|---|---|---|---|---|\n";
  std::vector<std::string> kinds;
  std::map<std::string, std::map<std::string, std::string>> found;
  for (const Point& point : points) {
    const std::string kind = point.value("kind");
    if (!found.contains(kind)) kinds.push_back(kind);
    found[kind][point.value("mode")] = cells(point);
  }
  const std::string none = " |  |  |";
  for (const std::string& kind : kinds) {
    text += "| " + kind + " |";
    for (const char* mode : {"rate", "chain"})
      text += " " + (found[kind].contains(mode) ? found[kind][mode] : none);
    text += "\n";
  }
  return text;
}

/// Of hundreds of drawn kernels: how many, how far off, and the worst ones.
std::string mixes_summary(const std::vector<Point>& points) {
  constexpr std::size_t kShown = 10;
  const auto count = [&](std::optional<double> Point::*figure) {
    return std::to_string(std::ranges::count_if(points, [&](const Point& p) { return bool(p.*figure); }));
  };
  std::string text =
      "Kernels drawn at random: their instructions, how often which warps and blocks execute them, and "
      "the shape of the grid. " +
      count(&Point::measured) + " were measured, " + count(&Point::simulated) + " simulated";
  const std::vector<double> errors = errors_of(points);
  if (errors.empty()) return text + ": none of them on both, so no error is known.\n";
  text += "; of " + std::to_string(errors.size()) + " on both the median error is " +
          percent(errors[errors.size() / 2]) + ", the 90th percentile " +
          percent(errors[errors.size() * 9 / 10]) + ". The worst, by ratio:\n\n" +
          "| number | grid | body | measured | simulated | error |\n|---|---|---|---|---|---|\n";
  // Half as fast is as far off as twice as fast.
  std::vector<Point> worst = points;
  std::erase_if(worst, [](const Point& point) { return !point.error(); });
  std::ranges::stable_sort(worst, std::greater(), [](const Point& point) {
    return std::abs(std::log(*point.simulated / *point.measured));
  });
  worst.resize(std::min(worst.size(), kShown));
  for (const Point& point : worst)
    text += "| " + point.value("number") + " | " + point.value("blocks") + " x " + point.value("threads") +
            " | " + point.value("body") + " | " + cells(point) + "\n";
  return text;
}

std::string card_section(const std::string& card) {
  const Probes measured = read("measured-" + card + ".probes.txt"),
               simulated = read("simulated-" + card + ".probes.txt");
  const auto about = [](const Probes& probes, const std::string& key) {
    const auto found = probes.about.find(key);
    return found == probes.about.end() ? std::string("unknown") : found->second;
  };
  std::string text = "\n## " + about(measured, "device") + "\n\nMeasured " + about(measured, "date") +
                     ", driver " + about(measured, "driver") + ", toolkit " + about(measured, "toolkit") +
                     ", commit " + about(measured, "commit") +
                     (measured.about.contains("note") ? ", " + measured.about.at("note") : "") + ". ";
  const std::vector<Point> points = points_of(measured, simulated);
  if (simulated.lines.empty())
    text += "The model was not run.\n";
  else
    text += "Simulated " + about(simulated, "date") + " by `.ci/gpu --device sim:" + card + "`, time model " +
            about(simulated, "commit") + ".\n\n" + summary_of(points);
  for (const std::string& group : groups_of(points)) {
    const std::vector<Point> own = of_group(points, group);
    if (std::ranges::none_of(own, [](const Point& point) { return bool(point.measured); })) continue;
    text += "\n### " + group + "\n\n";
    // What was added to a file later says its own date and commit there.
    const std::string kind = group == "drawn-mix" ? "drawn" : group;
    if (measured.about.contains(kind)) text += "Measured " + measured.about.at(kind) + ".";
    if (simulated.about.contains(kind)) text += " Simulated " + simulated.about.at(kind) + ".";
    if (measured.about.contains(kind) || simulated.about.contains(kind)) text += "\n\n";
    text += group == "drawn" ? kinds_table(own) : group == "drawn-mix" ? mixes_summary(own) : table_of(own);
  }
  return text;
}

std::string page() {
  std::string text =
      "# Probes: the same programs on a GPU and on its model\n\n"
      "The programs in `common/simulator/tests/probes/` are ordinary CUDA: they time launches, copies, "
      "streams, caches, "
      "instructions, atomics, kernels that work in tiles and kernels drawn at random, and print what they "
      "find. `.ci/gpu` runs them "
      "on a real GPU, "
      "`.ci/gpu --device sim:NAME --only probes` on the simulated one: the same executable, so both columns "
      "show the same "
      "work. No point is left out because of its error. Simulated figures come from [the time "
      "model](../simulator-model.md). Made by `ROOFLINE_UPDATE_PAGES=1 ctest -R ProbesPage`.\n";
  for (const std::string& card : cards()) text += card_section(card);
  return text;
}

TEST(ProbesPage, IsCurrent) {
  const std::string now = page();
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr) write_file(kResults / "probes.md", now);
  EXPECT_EQ(fs::exists(kResults / "probes.md") ? read_file(kResults / "probes.md") : "", now)
      << "run ROOFLINE_UPDATE_PAGES=1 ./lab test -R ProbesPage";
}

// What is kept as measured was measured on a card that is named, and what is simulated does not pass for it.
TEST(ProbesPage, FilesSayWhatTheyAre) {
  ASSERT_FALSE(cards().empty());
  for (const std::string& card : cards())
    for (const std::string what : {"measured", "simulated"}) {
      const std::string name = what + "-" + card + ".probes.txt";
      if (!fs::exists(kResults / name)) continue;
      const Probes probes = read(name);
      EXPECT_EQ(probes.about.at("kind"), what == "measured" ? "gpu" : "simulated") << name;
      for (const char* key : {"device", "driver", "toolkit", "date", "commit"})
        EXPECT_FALSE(probes.about.at(key).empty()) << name << ' ' << key;
      EXPECT_GT(probes.lines.size(), 100U) << name;
    }
}

TEST(ProbesPage, AnErrorIsTold) {
  const Probes
      card = parse(
          "# kind: gpu\nrate op=Add = 4 warps/cycle\nrate op=Mul = 2 warps/cycle\nhost call=x = 1 us\n"),
      model = parse("# kind: simulated\nrate op=Add = 5 warps/cycle\nrate op=Div = 1 warps/cycle\n");
  const std::vector<Point> points = points_of(card, model);
  ASSERT_EQ(points.size(), 3U);
  EXPECT_DOUBLE_EQ(points[0].error().value(), 0.25);
  EXPECT_FALSE(points[1].simulated);
  EXPECT_FALSE(points[2].measured);
  EXPECT_NE(summary_of(points).find("| rate | 1 | 25 % | 25 % | 25 % |"), std::string::npos)
      << summary_of(points);
  EXPECT_NE(table_of(points).find("| op=Mul | 2 warps/cycle |  |  |\n| op=Div |  | 1 warps/cycle |  |\n"),
            std::string::npos)
      << table_of(points);
}

TEST(ProbesPage, DrawnKernelsAreSummedUp) {
  std::string card = "drawn kind=xor mode=rate = 0.5 clocks\ndrawn kind=ld mode=chain = -0.1 clocks\n", model;
  for (int i = 0; i < 30; ++i) {
    const std::string mix = "drawn seed=1 number=" + std::to_string(i) +
                            " blocks=2 threads=64 body=xor:" + std::to_string(i) + " = ";
    card += mix + "100 us\n";
    if (i >= 10) model += mix + std::to_string(100 + i) + " us\n";
  }
  model += "drawn kind=xor mode=rate = 0.6 clocks\ndrawn kind=ld mode=chain = 1 clocks\n";
  const std::vector<Point> points = points_of(parse(card), parse(model)), kinds = of_group(points, "drawn"),
                           mixes = of_group(points, "drawn-mix");
  EXPECT_NE(kinds_table(kinds).find("| xor | 0.5 clocks | 0.6 | +20 % |  |  |  |\n"), std::string::npos)
      << kinds_table(kinds);
  EXPECT_NE(kinds_table(kinds).find("| ld |  |  |  | -0.1 clocks | 1 |  |\n"), std::string::npos)
      << kinds_table(kinds);
  const std::string text = mixes_summary(mixes);
  EXPECT_NE(text.find("30 were measured, 20 simulated; of 20 on both the median error is 20 %"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("| 29 | 2 x 64 | xor:29 | 100 us | 129 | +29 % |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("| 20 |"), std::string::npos) << text;
  EXPECT_EQ(text.find("| 19 |"), std::string::npos) << text;
  const std::string alone = mixes_summary(of_group(points_of(parse(card), {}), "drawn-mix"));
  EXPECT_NE(alone.find("30 were measured, 0 simulated: none of them on both"), std::string::npos) << alone;
}

}  // namespace
}  // namespace roofline::grader::probes_page
