// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "docs/tests/data_sheet.h"
#include "docs/tests/generated.h"

// Pictures that explain an idea of the page "three regimes". Their lengths are computed, from the device file
// and the sizes that stand beside them.
namespace roofline::docs::pictures {
namespace {

using grader::compact;
using grader::LogScale;
using grader::Point;
using grader::Svg;

constexpr double kMega = 1e6;

/// A straight arrow.
void arrow(Svg& svg, Point from, Point to, const std::string& style) {
  const double length = std::hypot(to.x - from.x, to.y - from.y), x = (to.x - from.x) / length,
               y = (to.y - from.y) / length;
  svg.polyline({from, to}, style);
  svg.polyline(
      {{to.x - 8 * x - 4 * y, to.y - 8 * y + 4 * x}, to, {to.x - 8 * x + 4 * y, to.y - 8 * y - 4 * x}},
      style);
}

// --- one trip against two
// ----------------------------------------------------------------------------------------

/// One panel: what goes from DRAM to the chip and back, and how long that takes.
void trips_panel(Svg& svg, double left, const std::string& name, int kernels, const Sheet& gpu) {
  constexpr double kTop = 78, kStep = 34, kElements = 64 * kMega, kWidth = 320;
  svg.text({left, 62}, name, "label");
  svg.box({left, kTop}, 44, 4 * kStep + 8, "wait", "DRAM");
  svg.text({left + 22, kTop + 4 * kStep + 26}, "DRAM", "note", Svg::Anchor::kMiddle);
  const double chip = left + 200;
  for (int k = 0; k < kernels; ++k) {
    const double height = (4 * kStep + 8) / kernels - 4, top = kTop + k * (height + 4);
    svg.box({chip, top}, 84, height, "kernel", "a kernel");
    const std::string in = k == 0 ? "x" : "t", out = k + 1 == kernels ? "y" : "t";
    arrow(svg, {left + 48, top + 14}, {chip - 4, top + 14}, "c1");
    svg.text({(left + 48 + chip) / 2, top + 10}, "read " + in + ", 4 B", "note", Svg::Anchor::kMiddle);
    arrow(svg, {chip - 4, top + height - 10}, {left + 48, top + height - 10}, "c1");
    svg.text({(left + 48 + chip) / 2, top + height - 14}, "write " + out + ", 4 B", "note",
             Svg::Anchor::kMiddle);
    svg.text({chip + 92, top + height / 2 + 4}, kernels == 1 ? "cos, cos" : "cos", "label");
  }
  svg.text({chip + 42, kTop + 4 * kStep + 26}, "chip", "note", Svg::Anchor::kMiddle);
  const double us = 8 * kernels * kElements / gpu.copy * 1e-3, longest = 16 * kElements / gpu.copy * 1e-3;
  svg.box({left, 262}, kWidth * us / longest * 0.5, 14, "copy", compact(us) + " us");
  svg.text({left + kWidth * us / longest * 0.5 + 6, 273},
           std::to_string(8 * kernels) + " B an element, " + compact(us) + " us", "label");
}

std::string trips_figure() {
  const Sheet a100 = sheet("a100-sxm4-40gb");
  Svg svg(760, 300, "One trip to memory against two",
          "cos(cos(x)) in two kernels reads x, writes t, reads t and writes y: four transfers, 16 bytes an "
          "element. In one "
          "kernel it reads x and writes y: two transfers, 8 bytes, half the time");
  svg.text({24, 24}, "cos(cos(x)): two trips to memory, or one", "title");
  svg.text(
      {24, 42},
      "bars: time of 64 million floats at the rate of a copy on an A100, " + compact(a100.copy, 4) + " GB/s",
      "note");
  trips_panel(svg, 24, "two kernels", 2, a100);
  trips_panel(svg, 400, "one kernel", 1, a100);
  return svg.str();
}

// --- what the time goes into
// -------------------------------------------------------------------------------------

/// Work of one kind and how long each part of the machine would need for it alone, in microseconds.
struct Need {
  std::string regime, work;
  double compute = 0, memory = 0, link = 0, launch = 0;
};

std::vector<Need> needs() {
  const Sheet gpu = sheet("a100-sxm4-40gb");
  const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", gpu.id);
  const double launch = d.kernel_gap_us + d.kernel_start_us;
  const auto compute = [](double flops, double tflops) { return flops / tflops * 1e-6; };
  const auto moved = [](double bytes, double gbps) { return bytes / gbps * 1e-3; };
  const double n = 4096, elements = std::exp2(26), points = 16384, tokens = 512, parameters = n * n;
  return {
      {"compute-bound", "product of 4096 x 4096 halves", compute(2 * n * n * n, gpu.tensor),
       moved(8 * n * n, gpu.dram), 0, launch},
      {"memory-bound", "y = a*x + b, 2^26 floats", compute(2 * elements, gpu.fp32),
       moved(8 * elements, gpu.dram), 0, launch},
      {"overhead-bound", "k = d + r, 16384 floats", compute(points, gpu.fp32), moved(12 * points, gpu.dram),
       0, launch},
      {"communication-bound", "backward pass of a 4096 x 4096 layer, 512 tokens, gradients over PCIe 4",
       compute(4 * parameters * tokens, gpu.tensor), moved(4 * parameters + 6 * tokens * n, gpu.dram),
       moved(4 * parameters, d.pinned_gbps), 2 * launch},
  };
}

std::string regimes_figure() {
  Svg svg(760, 470, "Four regimes as bars of time",
          "For four pieces of work on an A100, how long arithmetic, DRAM, link and launch would each take "
          "alone. A product "
          "needs arithmetic most, an elementwise kernel DRAM, a small kernel its launch, the exchange of "
          "gradients the "
          "link");
  svg.text({24, 24}, "What each part of an A100 would need, if it were alone", "title");
  svg.text({24, 42},
           "data-sheet rates, PCIe 4 at 25 GB/s; the longest bar names the regime and is the least time of "
           "the work",
           "note");
  double y = 74;
  for (const Need& need : needs()) {
    svg.text({24, y}, need.regime + ": " + need.work, "label");
    const double most = std::max({need.compute, need.memory, need.link, need.launch});
    struct Bar {
      const char *name, *style;
      double us;
    };
    for (const Bar& bar : {Bar{"arithmetic", "kernel", need.compute}, Bar{"DRAM", "wait", need.memory},
                           Bar{"link", "copy", need.link}, Bar{"launch", "call", need.launch}}) {
      if (bar.us == 0) continue;
      y += 20;
      const double width = std::max(1.0, 520 * bar.us / most);
      svg.text({104, y + 1}, bar.name, "note", Svg::Anchor::kEnd);
      svg.box({112, y - 10}, width, 13, bar.style, compact(bar.us) + " us");
      svg.text({112 + width + 8, y + 1}, compact(bar.us) + " us", "note");
    }
    y += 32;
  }
  return svg.str();
}

// --- three ways up, and a lower roof
// -----------------------------------------------------------------------------

std::string cases_figure() {
  const Sheet gpu = sheet("a100-sxm4-40gb");
  Svg svg(760, 370, "Raising the intensity, and a roof below the roof",
          "Left, three cases of a raised intensity: left of the ridge the rate rises with it, across the "
          "ridge it rises to the "
          "peak, right of the ridge it stays. Right, accesses that reach 40 % of the bandwidth have a lower "
          "roof, with two "
          "ways up: more intensity, or better accesses");
  const LogScale y{.low = 0.5, .high = 1000, .from = 316, .to = 90};
  const auto panel = [&](double from, double to, const std::string& title) {
    const LogScale x{.low = 0.5, .high = 4096, .from = from, .to = to};
    axes(svg, x, y, "FLOP/B", "TFLOP/s");
    svg.text({from, 62}, title, "title");
    const double ridge = gpu.tensor * 1e3 / gpu.dram;
    svg.polyline({{x.at(0.5), y.at(0.5e-3 * gpu.dram)},
                  {x.at(ridge), y.at(gpu.tensor)},
                  {x.at(4096), y.at(gpu.tensor)}},
                 "c1");
    return x;
  };
  svg.text({60, 24}, "An A100's Tensor Cores behind its memory", "title");
  svg.text({60, 40},
           compact(gpu.dram, 4) + " GB/s, " + compact(gpu.tensor) + " TFLOP/s, ridge at " +
               compact(gpu.tensor * 1e3 / gpu.dram) + " FLOP/B",
           "note");
  const LogScale x = panel(60, 360, "Three cases");
  const auto rate = [&](double intensity) { return std::min(gpu.tensor, intensity * gpu.dram * 1e-3); };
  struct Case {
    double from, to;
    const char* name;
    Svg::Anchor anchor;
    double dx, dy;
  };
  for (const Case& way : {Case{1, 16, "1: stays left", Svg::Anchor::kStart, 12, 8},
                          {32, 512, "2: crosses", Svg::Anchor::kStart, -36, 42},
                          {700, 3600, "3: nothing gained", Svg::Anchor::kEnd, 0, -26}}) {
    const Point from{x.at(way.from), y.at(rate(way.from)) + 8}, to{x.at(way.to), y.at(rate(way.to)) + 8};
    svg.dot({from.x, from.y}, 3, "c0");
    arrow(svg, from, to, "c0");
    svg.text(
        {way.anchor == Svg::Anchor::kEnd ? to.x : (from.x + to.x) / 2 + way.dx, (from.y + to.y) / 2 + way.dy},
        way.name, "c0", way.anchor);
  }
  const LogScale right = panel(440, 740, "A roof below the roof");
  constexpr double kShare = 0.4;
  const double lower_ridge = gpu.tensor * 1e3 / (kShare * gpu.dram), at = 16;
  svg.polyline(
      {{right.at(1.25), y.at(1.25e-3 * kShare * gpu.dram)}, {right.at(lower_ridge), y.at(gpu.tensor)}}, "c2");
  const Point kernel{right.at(at), y.at(at * kShare * gpu.dram * 1e-3)};
  svg.dot(kernel, 4, "c0", "a kernel of 16 FLOP/B at 40 % of the bandwidth");
  arrow(svg, kernel, {kernel.x, y.at(at * gpu.dram * 1e-3) + 3}, "c0");
  svg.text({kernel.x - 8, y.at(at * gpu.dram * 1e-3) - 6}, "better accesses", "c0", Svg::Anchor::kEnd);
  arrow(svg, kernel, {right.at(8 * at), y.at(8 * at * kShare * gpu.dram * 1e-3)}, "c3");
  svg.text({right.at(3 * at) + 2, y.at(2 * at * kShare * gpu.dram * 1e-3) + 14}, "more intensity", "c3");
  svg.text({right.at(2) + 4, y.at(0.62)}, compact(100 * kShare) + " % of the bandwidth", "c2");
  return svg.str();
}

// Break when a device file changes and the picture does not.
TEST(Page, TripsFigureIsCurrent) { expect_current(kRoot / "docs/figures/trips.svg", trips_figure()); }
TEST(Page, RegimesFigureIsCurrent) { expect_current(kRoot / "docs/figures/regimes.svg", regimes_figure()); }
TEST(Page, CasesFigureIsCurrent) { expect_current(kRoot / "docs/figures/cases.svg", cases_figure()); }

// Breaks when the work no longer is of the regime that its bars are drawn for.
TEST(Regimes, TheLongestBarNamesTheRegime) {
  for (const Need& need : needs()) {
    const double most = std::max({need.compute, need.memory, need.link, need.launch});
    const double named = need.regime == "compute-bound"    ? need.compute
                         : need.regime == "memory-bound"   ? need.memory
                         : need.regime == "overhead-bound" ? need.launch
                                                           : need.link;
    EXPECT_EQ(named, most) << need.regime;
  }
}

}  // namespace
}  // namespace roofline::docs::pictures
