// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "docs/tests/generated.h"

// Pictures of lab 09: where the bytes of eight pixels go, copies beside steps, and workers before both. What
// they show is computed here by the rules of the page.
namespace roofline::docs::input_pictures {
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
  constexpr std::array<const char*, kColours> kStyles = {"waste", "owner1", "used"},
                                              kLines = {"c1", "c3", "c0"};
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

// --- copies and steps --------------------------------------------------------------------------------------

constexpr std::size_t kBatches = 6;
constexpr double kCopy = 3, kStep = 4;  // of a batch, in any unit

struct Span {
  double from, to;
};
struct Epoch {
  std::vector<Span> copies, steps;
};

/// A copy needs the engine and a buffer whose step has ended; a step its batch and the step before.
Epoch epoch_with(std::size_t buffers) {
  Epoch epoch;
  for (std::size_t i = 0; i < kBatches; ++i) {
    const double engine = i > 0 ? epoch.copies[i - 1].to : 0,
                 buffer = i >= buffers ? epoch.steps[i - buffers].to : 0, begin = std::max(engine, buffer);
    epoch.copies.push_back({begin, begin + kCopy});
    const double start = std::max(begin + kCopy, i > 0 ? epoch.steps[i - 1].to : 0);
    epoch.steps.push_back({start, start + kStep});
  }
  return epoch;
}

std::string feed_figure() {
  constexpr double kFrom = 90, kUnit = 14.8, kRow = 20;
  Svg svg(
      kWidth, 236, "Copies and steps of six batches with one buffer and with two",
      "A copy takes three units of time and a step four. With one buffer they take turns, and six batches "
      "take 42 units. With two buffers the copy of the next batch runs beside the step of this one: six "
      "batches take 27, one copy and six steps");
  svg.text({24, 24}, "Six batches: a copy takes 3, a step 4", "title");
  svg.text({24, 42}, "green: copies; blue: steps; digits: batch", "note");
  double y = 62;
  for (const std::size_t buffers : {1U, 2U}) {
    const Epoch epoch = epoch_with(buffers);
    svg.text({24, y + 12}, buffers == 1 ? "one buffer" : "two buffers", "label");
    const auto row = [&](const std::vector<Span>& spans, const char* style, const std::string& what) {
      y += kRow;
      svg.text({kFrom - 10, y + 13}, what, "note", Svg::Anchor::kEnd);
      for (std::size_t i = 0; i < spans.size(); ++i) {
        const double x = kFrom + spans[i].from * kUnit, width = (spans[i].to - spans[i].from) * kUnit;
        svg.box({x, y}, width - 1, kRow - 4, style, what + " " + std::to_string(i));
        svg.text({x + width / 2, y + 12}, std::to_string(i), "lane", Svg::Anchor::kMiddle);
      }
    };
    row(epoch.copies, "owner1", "copies");
    row(epoch.steps, "used", "steps");
    const double end = kFrom + epoch.steps.back().to * kUnit;
    svg.text({end - 2, y - kRow - 6}, grader::compact(epoch.steps.back().to), "label", Svg::Anchor::kEnd);
    y += kRow + 22;
  }
  return svg.str();
}

// Breaks when the picture's times are not the page's: one after the other, and a copy and then the longer.
TEST(Feed, TwoBuffersHideTheShorter) {
  EXPECT_EQ(epoch_with(1).steps.back().to, kBatches * (kCopy + kStep));
  EXPECT_EQ(epoch_with(2).steps.back().to, kCopy + kBatches * std::max(kCopy, kStep));
  EXPECT_EQ(epoch_with(3).steps.back().to, epoch_with(2).steps.back().to);
}

// --- workers -----------------------------------------------------------------------------------------------

constexpr std::size_t kShown = 12;                       // batches
constexpr double kDecode = 10, kTravel = 2, kLearn = 3;  // of a batch, in any unit
constexpr std::array<std::size_t, 4> kWorkers = {1, 2, 4, 8};

struct Loaded {
  std::vector<Span> decoded, copies, steps;
};

/// Two batches for each worker are in flight: a worker takes its next one when it has handed over the last,
/// and a pinned buffer is free. Copies and steps are in order, with two buffers on the device.
Loaded loaded_by(std::size_t workers) {
  Loaded l;
  const auto end_of = [](const std::vector<Span>& spans, std::size_t i, std::size_t before) {
    return i >= before ? spans[i - before].to : 0;
  };
  for (std::size_t i = 0; i < kShown; ++i) {
    const double free = std::max(end_of(l.decoded, i, workers), end_of(l.copies, i, 2 * workers));
    l.decoded.push_back({free, free + kDecode});
    const double copy = std::max({l.decoded[i].to, end_of(l.copies, i, 1), end_of(l.steps, i, 2)});
    l.copies.push_back({copy, copy + kTravel});
    const double step = std::max(l.copies[i].to, end_of(l.steps, i, 1));
    l.steps.push_back({step, step + kLearn});
  }
  return l;
}

/// Percent of the time until the last step has ended.
double utilisation(const Loaded& l) { return 100 * kShown * kLearn / l.steps.back().to; }

std::string workers_figure() {
  constexpr double kFrom = 90, kUnit = 5.1, kRow = 15;
  Svg svg(kWidth, 502, "Twelve batches decoded by one, two, four and eight workers",
          "A worker takes ten units of time for a batch, its copy two and a step three. With one worker the "
          "steps run for 29 % of the time, with two for 53 %, with four for 75 % and with eight for no more: "
          "from the first batch on, four workers deliver faster than steps learn");
  svg.text({24, 24}, "A worker takes 10 for a batch, its copy 2, a step 3", "title");
  svg.text({24, 42}, "orange: workers; green: copies; blue: steps; digits: batch", "note");
  double y = 50;
  for (const std::size_t workers : kWorkers) {
    const Loaded l = loaded_by(workers);
    y += kRow;
    svg.text({24, y + 10}, workers == 1 ? "1 worker" : std::to_string(workers) + " workers", "label");
    svg.text({kFrom + l.steps.back().to * kUnit, y + 10},
             "steps run " + grader::compact(std::round(utilisation(l))) + " % of the time", "note",
             Svg::Anchor::kEnd);
    const auto bar = [&](const Span& span, std::size_t batch, double at, const char* style,
                         const std::string& what) {
      const double x = kFrom + span.from * kUnit, width = (span.to - span.from) * kUnit;
      svg.box({x, at}, width - 1, kRow - 3, style, what + " " + std::to_string(batch));
      svg.text({x + width / 2, at + 10}, std::to_string(batch), "lane", Svg::Anchor::kMiddle);
    };
    y += kRow;
    for (std::size_t i = 0; i < kShown; ++i) {
      const double below = y + static_cast<double>(workers) * kRow;
      bar(l.decoded[i], i, y + static_cast<double>(i % workers) * kRow, "waste", "decodes");
      bar(l.copies[i], i, below, "owner1", "copies");
      bar(l.steps[i], i, below + kRow, "used", "steps");
    }
    y += static_cast<double>(workers + 2) * kRow - 6;
  }
  return svg.str();
}

// Breaks when the picture's times are not the page's: too few workers decide, or the steps do.
TEST(Workers, TheSlowestDecides) {
  const double steps_decide = kDecode + kTravel + kShown * kLearn;
  const std::array<double, 4> ends = {kShown * kDecode + kTravel + kLearn,
                                      kShown / 2 * kDecode + kTravel + 2 * kLearn, steps_decide,
                                      steps_decide};
  for (std::size_t k = 0; k < ends.size(); ++k)
    EXPECT_EQ(loaded_by(kWorkers[k]).steps.back().to, ends[k]) << kWorkers[k] << " workers";
}

// Breaks when the text of the picture does not say what it shows.
TEST(Workers, AreAsBusyAsThePictureSays) {
  const std::array<double, 4> said = {29, 53, 75, 75};
  for (std::size_t k = 0; k < said.size(); ++k)
    EXPECT_EQ(std::round(utilisation(loaded_by(kWorkers[k]))), said[k]);
}

// Break when the rules above change and the pictures do not.
TEST(Page, WorkersFigureIsCurrent) { expect_current(kRoot / "labs/09-input/workers.svg", workers_figure()); }
TEST(Page, FeedFigureIsCurrent) { expect_current(kRoot / "labs/09-input/feed.svg", feed_figure()); }
TEST(Page, PlanesFigureIsCurrent) { expect_current(kRoot / "labs/09-input/planes.svg", planes_figure()); }

}  // namespace
}  // namespace roofline::docs::input_pictures
