// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>

#include "docs/tests/generated.h"

// Pictures of lab 09: where the bytes of eight pixels go. What they show is computed here by the rules of the
// page.
namespace roofline::docs {
namespace {

using grader::Svg;

constexpr double kWidth = 760;

// --- eight pixels ------------------------------------------------------------------------------------------

constexpr std::size_t kPixels = 8, kColours = 3;
constexpr std::array<const char*, kColours> kNames = {"red", "green", "blue"};

/// Byte i of a group of pixels: its colour, and the pixel that it belongs to.
struct Byte {
  std::size_t colour, pixel;
};
constexpr Byte byte_at(std::size_t i) { return {i % kColours, i / kColours}; }

std::string planes_figure() {
  constexpr double kLeft = 28, kCell = 29, kTop = 64, kHigh = 24, kPlane = 190, kWide = 25;
  Svg svg(kWidth, 262, "Eight pixels: 24 bytes in, 16 bytes into each of three planes",
          "Above: 24 bytes in a row, red, green and blue of pixel 0, then of pixel 1, up to pixel 7. Below: "
          "three planes, each with eight halves beside each other, one of each pixel. Lines lead from each "
          "byte to its half: every third byte goes to the same plane");
  svg.text({24, 24}, "One thread, eight pixels: 24 bytes in, 16 bytes into each plane", "title");
  svg.text({24, 42},
           "above: bytes as the decoder leaves them; below: halves as the network wants them; digits: pixel",
           "note");
  constexpr std::array<const char*, kColours> kStyles = {"used", "owner1", "owner2"},
                                              kLines = {"c0", "c3", "c2"};
  const auto plane_x = [](std::size_t colour, std::size_t pixel) {
    return kLeft + static_cast<double>(colour) * (kCell * static_cast<double>(kPixels)) +
           static_cast<double>(pixel) * kWide;
  };
  for (std::size_t i = 0; i < kPixels * kColours; ++i) {
    const auto [colour, pixel] = byte_at(i);
    const double x = kLeft + static_cast<double>(i) * kCell, to = plane_x(colour, pixel);
    const std::string name = std::string(kNames[colour]) + " of pixel " + std::to_string(pixel);
    svg.line({x + kCell / 2 - 1, kTop + kHigh}, {to + kWide / 2, kPlane}, kLines[colour]);
    svg.box({x, kTop}, kCell - 2, kHigh, kStyles[colour], "byte " + std::to_string(i) + ": " + name);
    svg.text({x + kCell / 2 - 1, kTop + 16}, std::to_string(pixel), "lane", Svg::Anchor::kMiddle);
    svg.box({to, kPlane}, kWide - 1, kHigh, kStyles[colour], name);
    svg.text({to + kWide / 2, kPlane + 16}, std::to_string(pixel), "lane", Svg::Anchor::kMiddle);
  }
  for (std::size_t colour = 0; colour < kColours; ++colour)
    svg.text({plane_x(colour, 0), kPlane + kHigh + 18}, std::string(kNames[colour]) + ": 16 bytes", "label");
  return svg.str();
}

// Breaks when the picture's bytes are not the page's: byte 3 * pixel + colour.
TEST(Planes, EachByteHasItsPlace) {
  for (std::size_t colour = 0; colour < kColours; ++colour)
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
      const Byte found = byte_at(kColours * pixel + colour);
      EXPECT_EQ(found.colour, colour);
      EXPECT_EQ(found.pixel, pixel);
    }
}

// Breaks when the rule above changes and the picture does not.
TEST(Page, PlanesFigureIsCurrent) { expect_current(kRoot / "labs/09-input/planes.svg", planes_figure()); }

}  // namespace
}  // namespace roofline::docs
