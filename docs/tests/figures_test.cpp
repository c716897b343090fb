// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <tuple>

#include "docs/tests/data_sheet.h"
#include "docs/tests/generated.h"
#include "grader/formats/read_json.h"
#include "grader/result/sweep_figure.h"

// Pictures and tables of the page "three regimes", made of the device files. ROOFLINE_UPDATE_PAGES=1 writes
// them.
namespace roofline::docs::figures {
namespace {

using grader::compact;
using grader::LogScale;
using grader::Point;
using grader::significant;
using grader::Svg;

constexpr double kWidth = 760, kLeft = 76, kRight = 736;

std::string roofline_figure() {
  const Sheet a100 = sheet("a100-sxm4-40gb");
  Svg svg(kWidth, 420, "Roofline of the A100-SXM4-40GB",
          "Attainable TFLOP/s against arithmetic intensity: the slope of 1555 GB/s up to the ridges at 12.5 "
          "and 201 FLOP/B, and the work of the labs on it");
  svg.text({kLeft, 24}, "Roofline of the A100-SXM4-40GB", "title");
  svg.text({kLeft, 42}, "data sheet; a dot is the most that work of this intensity can reach", "note");
  const LogScale x{.low = 0.1, .high = 3000, .from = kLeft, .to = kRight};
  const LogScale y{.low = 0.1, .high = 600, .from = 372, .to = 84};
  axes(svg, x, y, "arithmetic intensity, FLOP/B", "TFLOP/s");
  const auto slope = [&](double intensity) { return a100.dram * intensity * 1e-3; };
  const double ridge = a100.fp32 / slope(1), tensor_ridge = a100.tensor / slope(1);
  svg.polyline({{x.at(x.low), y.at(slope(x.low))},
                {x.at(tensor_ridge), y.at(a100.tensor)},
                {x.at(x.high), y.at(a100.tensor)}},
               "c1");
  svg.polyline({{x.at(ridge), y.at(a100.fp32)}, {x.at(x.high), y.at(a100.fp32)}}, "c1");
  svg.text({x.at(0.75), y.at(slope(1.05))}, compact(a100.dram, 4) + " GB/s", "c1", Svg::Anchor::kEnd, 0);
  svg.text({x.at(x.high) - 4, y.at(a100.fp32) - 7}, "FP32 lanes " + compact(a100.fp32) + " TFLOP/s", "c1",
           Svg::Anchor::kEnd);
  svg.text({x.at(x.high) - 4, y.at(a100.tensor) - 12}, "Tensor Cores, halves " + compact(a100.tensor), "c1",
           Svg::Anchor::kEnd);
  for (const double at : {ridge, tensor_ridge}) {
    svg.line({x.at(at), y.at(slope(at))}, {x.at(at), y.from}, "knee");
    svg.text({x.at(at) + 4, y.from - 8}, "ridge " + compact(at), "knee");
  }
  struct Work {
    double intensity, roof;
    std::string name;
    Svg::Anchor anchor = Svg::Anchor::kStart;  ///< where its name has room
  };
  // FLOPs and bytes as the pages of the labs count them.
  for (const Work& work :
       {Work{2.0 / 8, a100.fp32, "01: a*x + b"}, Work{2.0 * 8 / 8, a100.fp32, "02: 8 FMAs"},
        Work{2.0 * 512 / 8, a100.fp32, "02: 512 FMAs", Svg::Anchor::kEnd},
        Work{137438953472.0 / 134217728, a100.tensor, "04: product of 4096 x 4096", Svg::Anchor::kMiddle}}) {
    const double rate = std::min(slope(work.intensity), work.roof);
    svg.dot({x.at(work.intensity), y.at(rate)}, 5, "c0",
            work.name + ": " + compact(work.intensity) + " FLOP/B, at most " + compact(rate) + " TFLOP/s");
    const double aside = work.anchor == Svg::Anchor::kStart ? 6 : work.anchor == Svg::Anchor::kEnd ? -6 : 0;
    svg.text({x.at(work.intensity) + aside, y.at(rate) + 18}, work.name, "c0", work.anchor);
  }
  svg.text({x.at(0.13), y.at(60)}, "memory-bound", "note");
  svg.text({x.at(450), y.at(55)}, "compute-bound", "note");
  return svg.str();
}

/// A layer of d x d halves for b rows of halves.
struct Layer {
  double d, b;
  double flops() const { return 2 * b * d * d; }
  double bytes() const { return 2 * (d * d + 2 * b * d); }
  double intensity() const { return flops() / bytes(); }
  double us(const Sheet& gpu) const {
    return std::max(bytes() / gpu.dram * 1e-3, flops() / gpu.tensor * 1e-6);
  }
};

std::string batch_figure() {
  const Sheet a100 = sheet("a100-sxm4-40gb");
  const double ridge = a100.tensor * 1e3 / a100.dram, knee = ridge * 4096 / (4096 - 2 * ridge);
  Svg svg(
      kWidth, 560, "Batch, latency and throughput",
      "Time of one layer of 4096 x 4096 halves and rows a second against the batch, on an A100: the time is "
      "flat and the rate rises up to a batch of " +
          compact(knee) + ", then the time rises and the rate is flat");
  svg.text({kLeft, 24}, "One layer of 4096 x 4096 halves on an A100: what a larger batch costs", "title");
  svg.text({kLeft, 42}, "the lines of the roofline with the data sheet's rates", "note");
  const LogScale x{.low = 0.85, .high = 4800, .from = kLeft, .to = kRight};
  const LogScale time{.low = 10, .high = 1000, .from = 254, .to = 86};
  const LogScale rate{.low = 0.02, .high = 20, .from = 506, .to = 338};
  axes(svg, x, time, "", "time of the layer, us");
  axes(svg, x, rate, "batch", "million rows a second");
  std::vector<Point> times, rates;
  for (double b = 1; b <= 4096; b *= std::pow(2, 0.25)) {
    const Layer layer{4096, b};
    times.push_back({x.at(b), time.at(layer.us(a100))});
    rates.push_back({x.at(b), rate.at(b / layer.us(a100))});
  }
  svg.polyline(times, "c0");
  svg.polyline(rates, "c0");
  for (double b = 1; b <= 4096; b *= 4) {
    const Layer layer{4096, b};
    const std::string where = "batch " + compact(b, 4) + ", " + compact(layer.intensity()) + " FLOP/B: ";
    svg.dot({x.at(b), time.at(layer.us(a100))}, 3, "c0", where + compact(layer.us(a100)) + " us");
    svg.dot({x.at(b), rate.at(b / layer.us(a100))}, 3, "c0",
            where + compact(b / layer.us(a100)) + " million rows a second");
  }
  for (const LogScale* y : {&time, &rate}) svg.line({x.at(knee), y->from}, {x.at(knee), y->to}, "knee");
  svg.text({x.at(knee) + 5, time.to + 14}, "batch " + compact(knee) + ", " + compact(ridge) + " FLOP/B",
           "knee");
  svg.text({x.at(knee) - 8, time.at(60)}, "throughput for nothing", "note", Svg::Anchor::kEnd);
  svg.text({x.at(knee) + 8, rate.at(1)}, "latency for nothing", "note");
  return svg.str();
}

std::string ridge_table() {
  std::string table = "| device | DRAM | FP32 | ridge | Tensor Cores | ridge |\n|---|---|---|---|---|---|\n";
  for (const std::string& id : sim::known_devices(kRoot / "common/simulator/devices")) {
    const Sheet s = sheet(id);
    const auto ridge = [&](double tflops) { return compact(tflops * 1e3 / s.dram) + " FLOP/B"; };
    table += "| " + s.name + " | " + compact(s.dram, 4) + " GB/s | " + compact(s.fp32) + " TFLOP/s | " +
             ridge(s.fp32) + " | " + compact(s.tensor) + " TFLOP/s | " + ridge(s.tensor) + " |\n";
  }
  return table;
}

// Breaks when a picture has no words for a reader who does not see it, or no colours for a dark page.
TEST(Figures, AreDescribedAndHaveDarkColours) {
  std::size_t found = 0;
  for (const char* folder : {"docs", "labs"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() != ".svg") continue;
      const std::string svg = text_of(entry.path());
      for (const char* part :
           {"role=\"img\"", "<title", "<desc", "prefers-color-scheme:dark", "@media print"})
        EXPECT_NE(svg.find(part), std::string::npos) << shown(entry.path()) << " has no " << part;
      ++found;
    }
  }
  EXPECT_GE(found, 40U);
  for (const std::filesystem::path& page : pages())
    EXPECT_EQ(text_of(page).find("![]("), std::string::npos)
        << shown(page) << ": a picture without a description";
}

// Break when a device file changes and the picture or table does not.
TEST(Page, RooflineFigureIsWhatTheDeviceFileSays) {
  expect_current(kRoot / "docs/figures/roofline.svg", roofline_figure());
}
TEST(Page, BatchFigureIsWhatTheDeviceFileSays) {
  expect_current(kRoot / "docs/figures/batch.svg", batch_figure());
}
// The data is what ./lab grade 02 --solution --json docs/figures/intensity.json wrote.
TEST(Page, CurvesOfLab02AreDrawnFromTheirData) {
  const std::vector<grader::Result> results =
      grader::results_from_json(text_of(kRoot / "docs/figures/intensity.json"));
  ASSERT_EQ(results.size(), 1U);
  ASSERT_EQ(results[0].sweeps.size(), 1U);
  ASSERT_EQ(results[0].verdict, grader::Verdict::kPass);
  grader::SweepResult sweep = results[0].sweeps[0];
  sweep.title = "8 bytes an element, more and more FMAs";  // titles are the lab's, not the result's
  expect_current(kRoot / "labs/02-intensity/curves.svg", grader::sweep_svg(sweep, results[0].device));
}
TEST(Page, RidgesAreWhatTheDeviceFilesSay) {
  const std::string begin = "<!-- generated: ridges -->\n", end = "<!-- end -->";
  const std::filesystem::path path = kRoot / "docs/three-regimes.md";
  const std::string page = text_of(path);
  const std::size_t from = page.find(begin), to = page.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  expect_current(path, page.substr(0, from) + begin + "\n" + ridge_table() + "\n" + page.substr(to));
}

// Breaks when what the page derives no longer follows from the device file.
TEST(Regimes, TheNumbersOfThePageAreDerived) {
  const Sheet a100 = sheet("a100-sxm4-40gb");
  EXPECT_NEAR(a100.fp32, 19.5, 0.05);
  EXPECT_NEAR(a100.tensor, 312, 1);
  EXPECT_NEAR(a100.fp32 * 1e12 * 8 / (a100.dram * 1e9), 100, 1);  // FLOPs free beside 8 bytes
  EXPECT_NEAR(a100.dram / 8, 194, 1);                             // GFLOP/s of one multiplication
  EXPECT_NEAR(a100.fp32 / 2 * 1e3 / a100.dram * 8, 50, 0.5);      // repeats to the multiplication roof
  const double ridge = a100.tensor * 1e3 / a100.dram;
  EXPECT_NEAR(ridge, 201, 1);
  EXPECT_NEAR((Layer{4096, 222}.intensity()), ridge, 1);
  for (const auto& [batch, intensity, us, millions] : {std::tuple{1.0, 1.0, 21.6, 0.05},
                                                       {64.0, 62.0, 22.3, 2.9},
                                                       {222.0, 201.0, 23.9, 9.3},
                                                       {1024.0, 683.0, 110.0, 9.3}}) {
    const Layer layer{4096, batch};
    EXPECT_NEAR(layer.intensity(), intensity, 0.01 * intensity) << batch;
    EXPECT_NEAR(layer.us(a100), us, 0.003 * us) << batch;
    EXPECT_NEAR(batch / layer.us(a100), millions, 0.1 * millions) << batch;
  }
  const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", "a100-sxm4-40gb");
  constexpr double kOwn = 0.18;  // of a copy of 64 KB
  EXPECT_NEAR(d.kernel_gap_us + d.kernel_start_us + kOwn, 2.62, 0.01);
  EXPECT_NEAR(d.graph_node_us + kOwn, 1.34, 0.01);
  EXPECT_NEAR(2.62e-6 * a100.dram * 1e9, 4e6, 1e5);           // bytes while one launch passes
  EXPECT_NEAR(2.62e-6 * a100.tensor * 1e12, 820e6, 1e7);      // FLOPs
  EXPECT_NEAR(a100.tensor * 1e3 / d.pinned_gbps, 12480, 20);  // ridge of PCIe
  EXPECT_NEAR((99.80 / 61.0) / (0.17 / 25.5), 245, 1);        // BERT's normalisation
  EXPECT_NEAR((99.80 / 61.0) / (0.03 / 13.5), 736, 1);        // and elementwise work
}

}  // namespace
}  // namespace roofline::docs::figures
