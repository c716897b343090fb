// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "docs/tests/data_sheet.h"
#include "docs/tests/generated.h"

// What the versions of every lab's ladder achieve on the simulated A100: their rates below the roofline, and
// their shares of what each lab is graded against. From the stored table of ./lab bench.
namespace roofline::docs {
namespace {

using grader::compact;
using grader::LogScale;
using grader::Svg;

/// Where a lab's work is on the roofline: the operations that the result needs over the bytes that it needs.
/// The versions of a ladder differ in what they achieve, not in the work.
struct Work {
  std::string goal;      ///< as the table calls it
  std::string name;      ///< in the picture
  double intensity = 0;  ///< FLOP/B; 0: the table's FLOPs over its bytes
  bool above = false;    ///< the name is above the dots, not below
};

/// Bytes of one layer's product, 128 x 512 by 512 x 512 floats, and its FLOPs.
constexpr double kLayerFlops = 2.0 * 128 * 512 * 512, kLayerBytes = 4.0 * (2 * 128 * 512 + 512 * 512);

std::vector<Work> works() {
  return {{"01/bandwidth", "01", 0},
          {"02/repeat-1", "", 0},  // the same place as 01
          {"02/repeat-64", "02: 64", 0},
          {"02/repeat-512", "02: 512", 0},
          {"03a/cosine", "03 A", 2 * 36.0 / 8},  // a cosine: 36 operations
          {"03b/bandwidth", "03 B", 60.0 / 12},  // 20 of Philox, 40 of gelu and the rest
          {"03c/inputs-3", "03 C", 9.0 / 16},    // 9 operations, 3 inputs
          {"04/product", "04", 0},
          {"05/node", "05", 42.0 / 8},  // a step reads and writes one array
          {"06a/time", "06 A, B", kLayerFlops / kLayerBytes},
          {"06b/overlap", "", kLayerFlops / kLayerBytes},  // the same chain
          {"07b/bandwidth", "07 B", 2.0 / 4},              // a sum and a maximum
          {"08a/columns-4096", "08 A", 5.0 / 4},           // maximum, difference, power, sum, quotient
          {"08b/columns-4096", "08 B", 8.0 / 4},
          {"09a/bandwidth", "09 A", 2.0 / 3},
          {"10a/bandwidth", "10 A", 2 / (0.5 + 2.0 / 128)},  // four bits and their share of a scale
          {"10b/bandwidth", "10 B", 2.0 / 2},
          {"10c/bandwidth", "10 C", 2 / (1 + 2.0 / 128), true},  // a byte and its share of a scale
          {"11/full", "11", 0},
          {"12a/bandwidth", "12 A", 15.0 / 28, true},
          {"15/step", "15", 0, true}};
}

nlohmann::json bench_rows() {
  return nlohmann::json::parse(
      text_of(kRoot / "docs/results/simulated-a100-sxm4-40gb.bench.json"))["benchmarks"];
}

/// The name of a version in a row's name: GOAL/VERSION/iterations:1/...; "" for what is no rung.
std::string version_of(const nlohmann::json& row, const std::string& goal) {
  const std::string name = row["name"];
  if (!name.starts_with(goal + "/") || row.contains("error_message")) return "";
  const std::string version = name.substr(goal.size() + 1);
  return version.starts_with("memcpy") ? "" : version.substr(0, version.find('/'));
}

struct Version {
  std::string name;
  double intensity, rate;  ///< FLOP/B, TFLOP/s
};

std::map<std::string, std::vector<Version>> versions() {
  std::map<std::string, std::vector<Version>> found;
  const nlohmann::json rows = bench_rows();
  for (const Work& work : works()) {
    for (const nlohmann::json& row : rows) {
      const std::string version = version_of(row, work.goal);
      if (version.empty()) continue;
      const double flops = row.value("FLOP/s", 0.0), bytes = row.value("bytes/s", 0.0);
      const double intensity = work.intensity > 0 ? work.intensity : flops / bytes;
      found[work.goal].push_back({version, intensity, 1e-12 * (flops > 0 ? flops : bytes * intensity)});
    }
  }
  for (auto& [goal, ladder] : found)
    std::sort(ladder.begin(), ladder.end(),
              [](const Version& a, const Version& b) { return a.rate < b.rate; });
  return found;
}

std::string ladders_figure() {
  const Sheet gpu = sheet("a100-sxm4-40gb");
  const auto ladders = versions();
  std::string said;
  for (const Work& work : works()) {
    if (work.name.empty()) continue;
    const std::vector<Version>& ladder = ladders.at(work.goal);
    said += (said.empty() ? "" : "; ") + work.name + " from " + compact(ladder.front().rate) + " to " +
            compact(ladder.back().rate);
  }
  Svg svg(
      760, 500, "The roofline with every lab's ladder, simulated A100",
      "TFLOP/s that the versions of each lab achieve on the simulated A100, below the roofline of its data "
      "sheet: " +
          said);
  svg.text({76, 24}, "What each version achieves, simulated A100-SXM4-40GB", "title");
  svg.text({76, 42}, "each column is a lab, each dot a version of its ladder; lines: the data sheet's rates",
           "note");
  const LogScale x{.low = 0.1, .high = 3000, .from = 76, .to = 736};
  const LogScale y{.low = 0.001, .high = 600, .from = 452, .to = 84};
  axes(svg, x, y, "FLOPs over the least bytes, FLOP/B", "TFLOP/s");
  const double slope = gpu.dram * 1e-3;
  svg.polyline({{x.at(x.low), y.at(slope * x.low)},
                {x.at(gpu.tensor / slope), y.at(gpu.tensor)},
                {x.at(x.high), y.at(gpu.tensor)}},
               "c1");
  svg.polyline({{x.at(gpu.fp32 / slope), y.at(gpu.fp32)}, {x.at(x.high), y.at(gpu.fp32)}}, "c1");
  svg.text({x.at(x.high) - 4, y.at(gpu.fp32) - 7}, "FP32 lanes", "c1", Svg::Anchor::kEnd);
  svg.text({x.at(x.high) - 4, y.at(gpu.tensor) - 7}, "Tensor Cores", "c1", Svg::Anchor::kEnd);
  svg.text({x.at(0.3), y.at(0.75)}, "DRAM", "c1", Svg::Anchor::kEnd);
  std::size_t number = 0;
  constexpr const char* kStyles[] = {"c0", "c2", "c3", "c4"};
  for (const Work& work : works()) {
    const std::vector<Version>& ladder = ladders.at(work.goal);
    const std::string style = kStyles[number++ % std::size(kStyles)];
    for (const Version& v : ladder)
      svg.dot({x.at(v.intensity), y.at(v.rate)}, 4, style,
              work.goal + ", " + v.name + ": " + compact(v.rate) + " TFLOP/s");
    // The name goes below the lowest dot of the graded size, where nothing is.
    const Version& best = ladder.back();
    const auto graded = [&](const Version& v) { return std::abs(v.intensity / best.intensity - 1) < 0.01; };
    const Version& lowest = *std::find_if(ladder.begin(), ladder.end(), graded);
    const double level = work.above ? y.at(best.rate) - 10 : y.at(lowest.rate) + 18;
    svg.text({x.at(best.intensity), level}, work.name, style, Svg::Anchor::kMiddle);
  }
  return svg.str();
}

/// A part of a lab, and the share of its limit that each version reaches: at the worst of its graded sizes,
/// as in a grade.
struct Part {
  std::string name;                     ///< "07 A"
  std::map<std::string, double> share;  ///< by version
};

std::vector<Part> parts() {
  std::vector<Part> found;
  for (const nlohmann::json& row : bench_rows()) {
    const std::string name = row["name"], id = name.substr(0, name.find('/'));
    const std::string version = version_of(row, name.substr(0, name.find('/', id.size() + 1)));
    if (version.empty()) continue;
    std::string title = id.substr(0, 2);
    if (id.size() > 2) title += " " + std::string(1, static_cast<char>(std::toupper(id[2])));
    if (found.empty() || found.back().name != title) found.push_back({title, {}});
    const double share = row["fraction"];
    const auto [known, added] = found.back().share.try_emplace(version, share);
    known->second = std::min(known->second, share);
  }
  return found;
}

std::string shares_figure() {
  const std::vector<Part> rows = parts();
  const auto best = [](const Part& part) { return part.share.contains("solution"); };
  std::string said;
  for (const Part& part : rows) {
    double low = 10, high = 0;
    for (const auto& [version, share] : part.share) low = std::min(low, share), high = std::max(high, share);
    said += (said.empty() ? "" : "; ") + part.name + " from " + compact(100 * low) + " to " +
            compact(100 * high) + " %";
  }
  constexpr double kRow = 19, kTop = 78;
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  Svg svg(760, bottom + 44, "Every lab's ladder as shares of its limit, simulated A100",
          "Share of the limit that the versions of each part reach on the simulated A100: " + said);
  svg.text({60, 24}, "How far each version gets, simulated A100-SXM4-40GB", "title");
  svg.text({60, 42},
           "each dot is a version of the ladder, the reference solution in green; left edge: 0.1 % of the "
           "limit or less",
           "note");
  const LogScale x{.low = 0.001, .high = 10, .from = 76, .to = 736};
  for (const double tick : x.ticks(10, 8)) {
    svg.line({x.at(tick), kTop - 12}, {x.at(tick), bottom}, tick == 1 ? "roof" : "grid");
    svg.text({x.at(tick), bottom + 18}, compact(100 * tick) + " %", "tick", Svg::Anchor::kMiddle);
  }
  svg.text({x.at(1), kTop - 16}, "the limit", "roof", Svg::Anchor::kMiddle);
  double y = kTop;
  for (const Part& part : rows) {
    svg.line({x.from, y}, {x.to, y}, "grid");
    svg.text({x.from - 10, y + 4}, part.name, "tick", Svg::Anchor::kEnd);
    for (const auto& [version, share] : part.share) {
      const bool solution = version == "solution" || (!best(part) && version == part.share.rbegin()->first);
      svg.dot({x.at(std::max(share, x.low)), y}, 4, solution ? "c3" : "c0",
              part.name + ", " + version + ": " + compact(100 * share) + " %");
    }
    y += kRow;
  }
  return svg.str();
}

// Breaks when a ladder's shares change and the picture does not.
TEST(Page, SharesFigureIsWhatTheTableSays) {
  expect_current(kRoot / "docs/figures/shares.svg", shares_figure());
}

// Breaks when a lab has no ladder in the pictures. Lab 14 is diagnosed, not timed.
TEST(Ladders, EveryLabIsShown) {
  const std::vector<Part> rows = parts();
  for (const auto& lab : std::filesystem::directory_iterator(kRoot / "labs")) {
    const std::string number = lab.path().filename().string().substr(0, 2);
    const bool shown = std::any_of(rows.begin(), rows.end(), [&](const Part& part) {
      return part.name.starts_with(number) && part.share.size() >= 2;
    });
    EXPECT_TRUE(shown || number == "14") << lab.path();
  }
}

// Breaks when a ladder's times change and the picture does not.
TEST(Page, LaddersFigureIsWhatTheTableSays) {
  expect_current(kRoot / "docs/figures/ladders.svg", ladders_figure());
}

// Breaks when a lab is left out, when a version beats the roofline (then the work is counted wrongly), or
// when a solution is not above the slowest version.
TEST(Ladders, EveryLabIsBelowItsRoof) {
  const Sheet gpu = sheet("a100-sxm4-40gb");
  std::size_t all = 0;
  for (const auto& [goal, ladder] : versions()) {
    EXPECT_GE(ladder.size(), 2U) << goal;
    all += ladder.size();
    const bool tensor = goal.starts_with("04") || goal.starts_with("11") || goal.starts_with("15");
    const double peak = tensor ? gpu.tensor : gpu.fp32;
    for (const Version& v : ladder) {
      EXPECT_LT(v.rate, std::min(peak, 1e-3 * gpu.dram * v.intensity)) << goal << ", " << v.name;
      if (v.name == "solution") {
        EXPECT_GT(v.rate, ladder.front().rate) << goal;
      }
    }
  }
  EXPECT_GE(all, 75U);
}

}  // namespace
}  // namespace roofline::docs
