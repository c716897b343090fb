// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "docs/tests/generated.h"

// Pictures of lab 12: what number formats hold, and what becomes of gradients in halves under each scale. The
// numbers follow from bits and from the bell curve that labs/12-precision/experiments/vanish.cu draws from.
namespace roofline::docs::precision_pictures {
namespace {

using grader::LogScale;
using grader::Point;
using grader::Svg;

constexpr double kWidth = 760;

// --- formats -----------------------------------------------------------------------------------------------

struct Format {
  const char* name;
  int exponent_bits, mantissa_bits;
  bool infinities;  ///< the largest exponent is kept for infinity and NaN

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int smallest_normal() const { return 1 - bias(); }
  int smallest() const { return smallest_normal() - mantissa_bits; }
  int largest_exponent() const { return (1 << exponent_bits) - 1 - bias() - (infinities ? 1 : 0); }
  double largest() const {
    const double one_less = infinities ? 1 : 2;  // without infinities all ones is the only NaN
    return std::exp2(largest_exponent()) * (2 - one_less * std::exp2(-mantissa_bits));
  }
};
constexpr std::array<Format, 5> kFormats = {{{"float", 8, 23, true},
                                             {"bf16", 8, 7, true},
                                             {"half", 5, 10, true},
                                             {"e5m2", 5, 2, true},
                                             {"e4m3", 4, 3, false}}};

// Breaks when the table of the page does not follow from the bits.
TEST(Formats, HoldWhatThePageSays) {
  EXPECT_EQ(kFormats[2].largest(), 65504);
  EXPECT_EQ(kFormats[3].largest(), 57344);
  EXPECT_EQ(kFormats[4].largest(), 448);
  EXPECT_EQ(kFormats[2].smallest(), -24);
  EXPECT_EQ(kFormats[3].smallest(), -16);
  EXPECT_EQ(kFormats[4].smallest(), -9);
  EXPECT_EQ(kFormats[4].smallest_normal(), -6);
  EXPECT_EQ(kFormats[1].smallest(), -133);
}

std::string formats_figure() {
  constexpr double kLeft = 110, kRight = 730, kLow = -152, kHigh = 130, kTop = 96, kRow = 44;
  const auto at = [](double power) { return kLeft + (power - kLow) / (kHigh - kLow) * (kRight - kLeft); };
  Svg svg(
      kWidth, 364, "Ranges of number formats",
      "Powers of two from -152 to 130. Float reaches from -149 to 128, its numbers are normal from -126 on. "
      "bf16 has the same range, from -133. Half reaches from -24 to 16, normal from -14; e5m2 from -16 to "
      "16, normal from -14; e4m3 from -9 to 9, normal from -6");
  svg.text({24, 24}, "What is neither zero nor infinite", "title");
  svg.text({24, 42}, "sizes as powers of two; pale: below the smallest normal number each power costs a bit",
           "note");
  const double bottom = kTop + kRow * kFormats.size();
  for (int power = -150; power <= 125; power += 25) {
    svg.line({at(power), kTop - 12}, {at(power), bottom}, "grid");
    svg.text({at(power), bottom + 18}, std::to_string(power), "tick", Svg::Anchor::kMiddle);
  }
  for (std::size_t i = 0; i < kFormats.size(); ++i) {
    const Format& f = kFormats[i];
    const double y = kTop + kRow * static_cast<double>(i);
    svg.text({kLeft - 12, y + 18}, f.name, "label", Svg::Anchor::kEnd);
    svg.box({at(f.smallest()), y}, at(f.smallest_normal()) - at(f.smallest()), 26, "used",
            "from 2^" + std::to_string(f.smallest()));
    svg.box({at(f.smallest_normal()), y}, at(f.largest_exponent() + 1) - at(f.smallest_normal()), 26,
            "kernel",
            "normal from 2^" + std::to_string(f.smallest_normal()) + " to below 2^" +
                std::to_string(f.largest_exponent() + 1));
  }
  svg.text({kRight, bottom + 36}, "power of two", "note", Svg::Anchor::kEnd);
  return svg.str();
}

// --- gradients in halves -----------------------------------------------------------------------------------

constexpr double kMiddle = -22, kBellWidth = 4;  ///< as in vanish.cu

/// The share of gradients below 2^power, scaled by 2^scale.
double below(double power, double scale) {
  return 0.5 * std::erfc((kMiddle + scale - power) / kBellWidth / std::numbers::sqrt2);
}
double zero(double scale) { return below(-25, scale); }
double few_bits(double scale) { return below(-14, scale) - below(-25, scale); }
double infinite(double scale) {
  return 0.5 * std::erfc((std::log2(65520) - kMiddle - scale) / kBellWidth / std::numbers::sqrt2);
}

std::string vanish_figure() {
  constexpr double kLeft = 90, kRight = 730;
  const LogScale x{.low = 1, .high = std::exp2(32), .from = kLeft, .to = kRight};
  const LogScale y{.low = 1e-4, .high = 100, .from = 340, .to = 100};
  Svg svg(
      kWidth, 400, "Gradients in halves, against the loss scale",
      "Percent of gradients, on logarithmic axes, for scales from 1 to 2^32. At scale 1, 23 percent become "
      "zero and 75 percent lose bits. At 2^10, 0.06 percent become zero; at 2^16 0.0002, and 2 percent "
      "lose bits. From 2^23 on more than 0.01 percent become infinite, 2 percent at 2^30");
  svg.text({24, 24}, "Too small, too large, and a valley between", "title");
  svg.text({24, 42}, "a bell of sizes around 2^-22, two thirds of them within a factor of 16, as halves",
           "note");
  svg.text({kLeft, y.to - 8}, "percent of the gradients", "label");
  for (const double tick : y.ticks(10, 8)) {
    svg.line({kLeft, y.at(tick)}, {kRight, y.at(tick)}, "grid");
    svg.text({kLeft - 8, y.at(tick) + 4}, grader::compact(tick), "tick", Svg::Anchor::kEnd);
  }
  for (int power = 0; power <= 32; power += 4) {
    svg.line({x.at(std::exp2(power)), y.from}, {x.at(std::exp2(power)), y.from + 4}, "axis");
    svg.text({x.at(std::exp2(power)), y.from + 17}, "2^" + std::to_string(power), "tick",
             Svg::Anchor::kMiddle);
  }
  svg.line({kLeft, y.from}, {kRight, y.from}, "axis");
  svg.line({kLeft, y.from}, {kLeft, y.to}, "axis");
  svg.text({kRight, y.from + 36}, "scale", "note", Svg::Anchor::kEnd);
  struct Curve {
    const char *name, *style;
    double (*share)(double);
    double label_at;
  };
  for (const Curve& curve : {Curve{"zero", "c0", zero, 5}, Curve{"lose bits", "c1", few_bits, 12},
                             Curve{"infinite", "c2", infinite, 29}}) {
    std::vector<Point> points;
    for (double scale = 0; scale <= 32; scale += 0.5) {
      const double percent = 100 * curve.share(scale);
      if (percent >= y.low) points.push_back({x.at(std::exp2(scale)), y.at(percent)});
    }
    svg.polyline(points, curve.style);
    const bool rises = curve.share(32) > curve.share(0);
    svg.text(
        {x.at(std::exp2(curve.label_at)) + (rises ? -8 : 8), y.at(100 * curve.share(curve.label_at)) - 6},
        curve.name, curve.style, rises ? Svg::Anchor::kEnd : Svg::Anchor::kStart);
  }
  return svg.str();
}

// Breaks when the page's words about the picture are wrong.
TEST(Vanishing, AQuarterAtFirstAndNearlyNoneWithAThousand) {
  EXPECT_NEAR(100 * zero(0), 22.7, 0.1);
  EXPECT_NEAR(100 * few_bits(0), 75, 0.2);
  EXPECT_LT(100 * zero(10), 0.1);
  EXPECT_GT(100 * infinite(30), 2);
}

// Break when the rules above change and the pictures do not.
TEST(Page, FormatsFigureIsCurrent) {
  expect_current(kRoot / "labs/12-precision/formats.svg", formats_figure());
}
TEST(Page, VanishFigureIsCurrent) { expect_current(kRoot / "labs/12-precision/vanish.svg", vanish_figure()); }

}  // namespace
}  // namespace roofline::docs::precision_pictures
