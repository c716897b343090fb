// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <vector>

#include "grader/base/file.h"
#include "grader/base/units.h"

// docs/results/probes.md is made of measured-CARD.probes.txt and simulated-CARD.probes.txt, as .ci/gpu writes
// them: run with ROOFLINE_UPDATE_PAGES=1 where a file changed.
namespace roofline::grader {
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

/// Points of one card: what was measured and, where the model was asked, what it says.
struct Point {
  Probes::Line measured;
  std::optional<double> simulated;
  double error() const { return *simulated / measured.figure - 1; }
};

std::vector<Point> points_of(const Probes& measured, const Probes& simulated) {
  std::map<std::string, double> figures;
  for (const Probes::Line& line : simulated.lines) figures[line.name] = line.figure;
  std::vector<Point> points;
  for (const Probes::Line& line : measured.lines) {
    if (line.kind() == "host") continue;  // the host's own clock: no figure of a GPU
    const auto found = figures.find(line.name);
    points.push_back({line, found == figures.end() ? std::nullopt : std::optional(found->second)});
  }
  return points;
}

std::vector<std::string> kinds_of(const std::vector<Point>& points) {
  std::vector<std::string> kinds;
  for (const Point& point : points)
    if (std::ranges::find(kinds, point.measured.kind()) == kinds.end())
      kinds.push_back(point.measured.kind());
  return kinds;
}

std::string summary_of(const std::vector<Point>& points) {
  std::string text = "| probe | points | median error | 90th percentile | worst |\n|---|---|---|---|---|\n";
  for (const std::string& kind : kinds_of(points)) {
    std::vector<double> errors;
    for (const Point& point : points)
      if (point.measured.kind() == kind && point.simulated) errors.push_back(std::abs(point.error()));
    if (errors.empty()) continue;
    std::ranges::sort(errors);
    text += "| " + kind + " | " + std::to_string(errors.size()) + " | " + percent(errors[errors.size() / 2]) +
            " | " + percent(errors[errors.size() * 9 / 10]) + " | " + percent(errors.back()) + " |\n";
  }
  return text;
}

std::string card_section(const std::string& card) {
  const Probes measured = read("measured-" + card + ".probes.txt"),
               simulated = read("simulated-" + card + ".probes.txt");
  const auto about = [](const Probes& probes, const char* key) {
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
  for (const std::string& kind : kinds_of(points)) {
    text += "\n### " + kind + "\n\n| | measured | simulated | error |\n|---|---|---|---|\n";
    for (const Point& point : points) {
      const Probes::Line& line = point.measured;
      if (line.kind() != kind) continue;
      const std::string arguments = line.name == kind ? kind : line.name.substr(kind.size() + 1);
      text += "| " + arguments + " | " + compact(line.figure, 4) + " " + line.unit + " | " +
              (point.simulated ? compact(*point.simulated, 4) + " | " + percent(point.error(), "%+.0f %%")
                               : " | ") +
              " |\n";
    }
  }
  return text;
}

std::string page() {
  std::string text =
      "# Probes: the same programs on a GPU and on its model\n\n"
      "The programs in `common/simulator/tests/probes/` are ordinary CUDA: they time launches, copies, "
      "streams, caches, "
      "instructions, atomics and kernels that work in tiles, and print what they find. `.ci/gpu` runs them "
      "on a real GPU, "
      "`.ci/gpu --device sim:NAME --only probes` on the simulated one: the same executable, so both columns "
      "show the same "
      "work. No point is left out because of its error. Simulated figures come from [the time "
      "model](../simulator-model.md). Made by `ROOFLINE_UPDATE_PAGES=1 probes_page_test`.\n";
  for (const std::string& card : cards()) text += card_section(card);
  return text;
}

TEST(ProbesPage, IsCurrent) {
  const std::string now = page();
  if (std::getenv("ROOFLINE_UPDATE_PAGES") != nullptr) write_file(kResults / "probes.md", now);
  EXPECT_EQ(fs::exists(kResults / "probes.md") ? read_file(kResults / "probes.md") : "", now)
      << "run ROOFLINE_UPDATE_PAGES=1 probes_page_test";
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
      model = parse("# kind: simulated\nrate op=Add = 5 warps/cycle\n");
  const std::vector<Point> points = points_of(card, model);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_DOUBLE_EQ(points[0].error(), 0.25);
  EXPECT_FALSE(points[1].simulated);
  EXPECT_NE(summary_of(points).find("| rate | 1 | 25 % | 25 % | 25 % |"), std::string::npos)
      << summary_of(points);
}

}  // namespace
}  // namespace roofline::grader
