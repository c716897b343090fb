// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "docs/tests/data_sheet.h"
#include "docs/tests/generated.h"

// The roofline with what the versions of every lab's ladder achieve on the simulated A100, from the stored
// table of ./lab bench.
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
          {"06b/overlap", "", kLayerFlops / kLayerBytes}};  // the same chain
}

struct Version {
  std::string name;
  double intensity, rate;  ///< FLOP/B, TFLOP/s
};

std::map<std::string, std::vector<Version>> versions() {
  std::map<std::string, std::vector<Version>> found;
  const nlohmann::json table =
      nlohmann::json::parse(text_of(kRoot / "docs/results/simulated-a100-sxm4-40gb.bench.json"));
  for (const Work& work : works()) {
    for (const nlohmann::json& row : table["benchmarks"]) {
      const std::string name = row["name"];
      if (!name.starts_with(work.goal + "/") || row.contains("error_message")) continue;
      const std::string version = name.substr(work.goal.size() + 1);
      if (version.starts_with("memcpy")) continue;
      const double flops = row.value("FLOP/s", 0.0), bytes = row.value("bytes/s", 0.0);
      const double intensity = work.intensity > 0 ? work.intensity : flops / bytes;
      found[work.goal].push_back(
          {version.substr(0, version.find('/')), intensity, 1e-12 * (flops > 0 ? flops : bytes * intensity)});
    }
    auto& ladder = found[work.goal];
    std::sort(ladder.begin(), ladder.end(),
              [](const Version& a, const Version& b) { return a.rate < b.rate; });
  }
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
  svg.text({76, 42}, "a column is a lab, a dot a version of its ladder; lines: the data sheet's rates",
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
  for (const Work& work : works()) {
    const std::vector<Version>& ladder = ladders.at(work.goal);
    const std::string style = number++ % 2 == 0 ? "c0" : "c2";
    for (const Version& v : ladder)
      svg.dot({x.at(v.intensity), y.at(v.rate)}, 4, style,
              work.goal + ", " + v.name + ": " + compact(v.rate) + " TFLOP/s");
    // The name goes below the lowest dot of the graded size, where nothing is.
    const auto graded = [&](const Version& v) { return v.intensity == ladder.back().intensity; };
    const Version& lowest = *std::find_if(ladder.begin(), ladder.end(), graded);
    svg.text({x.at(lowest.intensity), y.at(lowest.rate) + 18}, work.name, style, Svg::Anchor::kMiddle);
  }
  return svg.str();
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
    const double peak = goal.starts_with("04") ? gpu.tensor : gpu.fp32;
    for (const Version& v : ladder) {
      EXPECT_LT(v.rate, std::min(peak, 1e-3 * gpu.dram * v.intensity)) << goal << ", " << v.name;
      if (v.name == "solution") {
        EXPECT_GT(v.rate, ladder.front().rate) << goal;
      }
    }
  }
  EXPECT_GE(all, 35U);
}

}  // namespace
}  // namespace roofline::docs
