// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "grader/base/units.h"
#include "grader/text/svg.h"
#include "simulator/timing/device_description.h"

// Makes labs/06-memory/crossover.svg of the device files: how long it takes to bring a mebibyte of
// activations back, over the link or by computing it again.
namespace roofline::grader::crossover {
namespace {

namespace fs = std::filesystem;

constexpr double kMebi = 1024 * 1024, kMicro = 1e6;

/// Microseconds a MiB.
struct Costs {
  std::string name;
  double link, pointwise;          ///< the same for every width
  double product, tensor_product;  ///< for each unit of width
};

Costs costs_of(const std::string& id) {
  const sim::DeviceDescription d =
      sim::load_device(fs::path(ROOFLINE_SOURCE) / "common/simulator/devices", id);
  const double fp32 = 2 * 32 * d.fma_rate * d.sms * d.clock_mhz * 1e6;
  const double tensor = d.tensor_f16_f32_flops_per_clock * d.sms * d.tensor_clock_mhz * 1e6;
  return {.name = d.name,
          .link = kMebi / (d.pinned_gbps * 1e9) * kMicro,
          .pointwise = 2 * kMebi / (d.dram_gbps * d.dram_copy_efficiency * 1e9) * kMicro,
          .product = 2 * (kMebi / 4) / fp32 * kMicro,
          .tensor_product = 2 * (kMebi / 2) / tensor * kMicro};
}

class Diagram {
 public:
  Diagram(const Costs& costs, double top) : costs_(costs), y_{0.1, 1000, top + 220, top}, top_(top) {}

  void draw(Svg& svg) const {
    svg.text({x_.from, top_ - 10}, costs_.name + ": microseconds a MiB", "label");
    for (const double tick : y_.ticks(10, 6)) {
      svg.line({x_.from, y_.at(tick)}, {x_.to, y_.at(tick)}, "grid");
      svg.text({x_.from - 8, y_.at(tick) + 4}, compact(tick), "tick", Svg::Anchor::kEnd);
    }
    for (const double tick : x_.ticks(4, 12))
      svg.text({x_.at(tick), y_.from + 17}, compact(tick, 6), "tick", Svg::Anchor::kMiddle);
    level(svg, costs_.link, "roof");
    svg.text({x_.from + 4, y_.at(costs_.link) - 5}, "over the link " + compact(costs_.link), "roof");
    level(svg, costs_.pointwise, "sheet");  // its name at the other end: there the products are far above
    svg.text({x_.to, y_.at(costs_.pointwise) - 5}, "pointwise, again " + compact(costs_.pointwise), "sheet",
             Svg::Anchor::kEnd);
    rising(svg, costs_.product, "FP32 product");
    rising(svg, costs_.tensor_product, "FP16 product");
  }

 private:
  void level(Svg& svg, double value, const std::string& style) const {
    svg.line({x_.from, y_.at(value)}, {x_.to, y_.at(value)}, style);
  }
  /// A product's time is proportional to its width; a dot where it meets the link.
  void rising(Svg& svg, double slope, const std::string& name) const {
    const double low = std::max(x_.low, y_.low / slope), high = std::min(x_.high, y_.high / slope);
    svg.polyline({{x_.at(low), y_.at(slope * low)}, {x_.at(high), y_.at(slope * high)}}, "series");
    const double width = costs_.link / slope;
    svg.dot({x_.at(width), y_.at(costs_.link)}, 4, "knee", name + ": width " + compact(width, 4));
    const bool right = x_.at(width) > x_.from + 0.7 * (x_.to - x_.from);  // below the link there, else above
    svg.text({right ? x_.to : x_.at(width) - 8, y_.at(costs_.link) + (right ? 18 : -8)},
             name + ", width " + compact(width, 4), "note", Svg::Anchor::kEnd);
  }

  const Costs& costs_;
  LogScale x_{64, 65536, 84, 696}, y_;
  double top_;
};

std::string figure() {
  Svg svg(720, 620, "When to swap and when to compute again",
          "Microseconds to bring back a MiB of activations against the width of the layer");
  svg.text({84, 24}, "Bring back a MiB of activations: over the link, or computed again?", "title");
  svg.text({84, 42},
           "data-sheet rates against the width of the layer; left of a dot, computing again is shorter",
           "note");
  const Costs a100 = costs_of("a100-sxm4-40gb"), h200 = costs_of("h200");
  Diagram(a100, 80).draw(svg);
  Diagram(h200, 366).draw(svg);
  return svg.str();
}

// Breaks when a device file changes and the figure does not. ROOFLINE_UPDATE_PAGES=1 writes it.
TEST(Crossover, TheFigureIsWhatTheDeviceFilesSay) {
  const fs::path path = fs::path(ROOFLINE_SOURCE) / "labs/06-memory/crossover.svg";
  if (std::getenv("ROOFLINE_UPDATE_PAGES")) std::ofstream(path) << figure();
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), figure()) << "run ROOFLINE_UPDATE_PAGES=1 ./lab test -R Crossover";
}

// Breaks when the widths that the page of lab 06 gives are not those of the devices.
TEST(Crossover, TheWidthsOfThePage) {
  const Costs a100 = costs_of("a100-sxm4-40gb"), h200 = costs_of("h200");
  EXPECT_NEAR(a100.link / a100.product, 1559, 2);
  EXPECT_NEAR(a100.link / a100.tensor_product, 12473, 20);
  EXPECT_NEAR(h200.link / h200.product, 2433, 20);
  EXPECT_LT(a100.pointwise, a100.link / 20);
  EXPECT_LT(h200.pointwise, h200.link / 20);
}

}  // namespace
}  // namespace roofline::grader::crossover
