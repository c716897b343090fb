// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "docs/tests/generated.h"

// Pictures of lab 13: what each GPU has of each chunk after every step of a ring, when which link is
// busy, and when sums run beside a backward pass. What they show is computed here by the rules of the page.
namespace roofline::docs::ring_pictures {
namespace {

using grader::Point;
using grader::Svg;

constexpr double kWidth = 760;
constexpr int kGpus = 4, kSteps = 2 * (kGpus - 1);

// --- the ring ----------------------------------------------------------------------------------------------

/// How many GPUs' parts are in each chunk of y, by GPU; 0: nothing has come.
using Chunks = std::array<std::array<int, kGpus>, kGpus>;

/// The chunk that a GPU takes from the one before it.
constexpr int chunk_of(int gpu, int step) { return ((gpu - 1 - step) % kGpus + kGpus) % kGpus; }

/// After so many steps.
Chunks after(int steps) {
  Chunks have{};
  for (int step = 0; step < steps; ++step) {
    const Chunks before = have;
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      const auto last = static_cast<std::size_t>((gpu + kGpus - 1) % kGpus),
                 chunk = static_cast<std::size_t>(chunk_of(gpu, step));
      const int theirs = step == 0 ? 1 : before[last][chunk];
      have[static_cast<std::size_t>(gpu)][chunk] = step < kGpus - 1 ? theirs + 1 : theirs;
    }
  }
  return have;
}

std::string ring_figure() {
  constexpr double kCell = 22, kApart = 122, kTop = 84;
  Svg svg(
      kWidth, 216, "What four GPUs have of four chunks, after each of six steps",
      "Six tables, one for each step, with a row for each GPU and a column for each chunk. After the first "
      "step each GPU has one chunk with the parts of two GPUs, after the second one with three, after the "
      "third one with all four, each another chunk. In steps four to six the finished chunks move to the "
      "next GPU, until all have all");
  svg.text({24, 24}, "Sums grow for three steps, and go round for three", "title");
  svg.text({24, 42},
           "rows: GPU 0 to 3, each of which takes a chunk from the GPU before it; columns: chunks; digits: "
           "how many GPUs' parts are in it",
           "note");
  constexpr std::array<const char*, kGpus + 1> kStyles = {"empty", "empty", "owner2", "waste", "used"};
  for (int step = 1; step <= kSteps; ++step) {
    const Chunks have = after(step);
    const double left = 34 + kApart * (step - 1);
    svg.text({left, kTop - 12}, "step " + std::to_string(step), "label");
    for (int gpu = 0; gpu < kGpus; ++gpu)
      for (int chunk = 0; chunk < kGpus; ++chunk) {
        const int parts = have[static_cast<std::size_t>(gpu)][static_cast<std::size_t>(chunk)];
        const double x = left + kCell * chunk, y = kTop + kCell * gpu;
        const bool came = chunk_of(gpu, step - 1) == chunk;
        svg.box({x, y}, kCell - 2, kCell - 2, kStyles[static_cast<std::size_t>(parts)],
                "GPU " + std::to_string(gpu) + ", chunk " + std::to_string(chunk) + ": parts of " +
                    std::to_string(parts) + (came ? ", just come" : ""));
        if (parts > 0)
          svg.text({x + kCell / 2 - 1, y + 15}, std::to_string(parts), "lane", Svg::Anchor::kMiddle);
      }
  }
  svg.text({24, 196},
           "lilac: two parts; orange: three; blue: the sum of all. Nothing has come to an empty cell",
           "note");
  return svg.str();
}

// Breaks when the picture's ring does not add up: each GPU finishes one chunk, and all have all at the end.
TEST(Ring, EachGpuFinishesOneChunk) {
  const Chunks half = after(kGpus - 1);
  for (std::size_t gpu = 0; gpu < kGpus; ++gpu) {
    EXPECT_EQ(std::ranges::count(half[gpu], kGpus), 1);
    EXPECT_EQ(half[gpu][(gpu + 1) % kGpus], kGpus);
  }
  for (const auto& chunks : after(kSteps))
    for (const int parts : chunks) EXPECT_EQ(parts, kGpus);
}

// --- links -------------------------------------------------------------------------------------------------

/// A stretch of time, one whole array over one link being one unit.
struct Span {
  double from, to;
};
struct Link {
  std::vector<Span> in, out;
};
using Links = std::array<Link, kGpus>;

void transfer(Links& links, std::size_t from, std::size_t to, double begin, double units) {
  links[from].out.push_back({begin, begin + units});
  links[to].in.push_back({begin, begin + units});
}

Links through_one() {
  Links links;
  for (std::size_t gpu = 1; gpu < kGpus; ++gpu) {
    transfer(links, gpu, 0, static_cast<double>(gpu - 1), 1);
    transfer(links, 0, gpu, static_cast<double>(kGpus - 1 + gpu - 1), 1);
  }
  return links;
}

Links in_a_ring() {
  Links links;
  for (int step = 0; step < kSteps; ++step)
    for (std::size_t gpu = 0; gpu < kGpus; ++gpu)
      transfer(links, gpu, (gpu + 1) % kGpus, static_cast<double>(step) / kGpus, 1.0 / kGpus);
  return links;
}

double end_of(const Links& links) {
  double end = 0;
  for (const Link& link : links)
    for (const auto* spans : {&link.in, &link.out})
      for (const Span& span : *spans) end = std::max(end, span.to);
  return end;
}

void draw_links(Svg& svg, double top, const std::string& name, const Links& links) {
  constexpr double kFrom = 130, kUnit = 98, kRow = 11;
  svg.text({24, top - 6}, name, "label");
  for (std::size_t gpu = 0; gpu < kGpus; ++gpu) {
    const double y = top + 2 * (kRow + 2) * static_cast<double>(gpu) + 4;
    svg.text({kFrom - 10, y + 15}, "GPU " + std::to_string(gpu), "note", Svg::Anchor::kEnd);
    const auto row = [&](const std::vector<Span>& spans, double at, const char* style,
                         const std::string& what) {
      for (const Span& span : spans)
        svg.box({kFrom + kUnit * span.from, at}, kUnit * (span.to - span.from) - 1, kRow, style,
                what + " GPU " + std::to_string(gpu));
    };
    row(links[gpu].in, y, "owner1", "into");
    row(links[gpu].out, y + kRow + 1, "used", "out of");
  }
  const double end = end_of(links);
  svg.text({kFrom + kUnit * end + 6, top + 24}, grader::compact(end), "label");
}

std::string links_figure() {
  Svg svg(
      kWidth, 330, "When the links of four GPUs are busy: through one GPU, and in a ring",
      "Two groups of four GPUs with a row for what comes in and one for what goes out. Through one GPU: "
      "three "
      "arrays come into GPU 0 one after the other, and then three go out of it, six units of time; the "
      "others "
      "have one each way. In a ring both rows of all GPUs are busy from the beginning to the end, one and "
      "a half units");
  svg.text({24, 24}, "The same sum: six units of time through one GPU, one and a half in a ring", "title");
  svg.text({24, 42}, "green: into the GPU; blue: out of it. A unit is the time of one array over one link",
           "note");
  draw_links(svg, 76, "through GPU 0", through_one());
  draw_links(svg, 208, "in a ring", in_a_ring());
  return svg.str();
}

// Breaks when the figure's times are not the page's: 2 (N - 1) arrays against 2 (N - 1) / N.
TEST(Links, ARingTakesAnNthOfTheTime) {
  EXPECT_DOUBLE_EQ(end_of(through_one()), 2 * (kGpus - 1));
  EXPECT_DOUBLE_EQ(end_of(in_a_ring()), 2.0 * (kGpus - 1) / kGpus);
  EXPECT_DOUBLE_EQ(end_of(through_one()) * 256e6 / 270e9 * 1e3, 2 * 3 * 256.0 / 270);
}

// --- buckets -----------------------------------------------------------------------------------------------

/// A pass of so many equal layers, each a unit of time; the bytes of all sums together, and the start of
/// each.
constexpr int kLayers = 16;
constexpr double kBytes = 6, kStart = 1.2;

/// When sums run that are so many layers each: behind their layers, one after the other.
std::vector<Span> sums_of(int layers) {
  std::vector<Span> sums;
  for (int done = layers; done <= kLayers; done += layers) {
    const double begin = std::max<double>(done, sums.empty() ? 0 : sums.back().to);
    sums.push_back({begin, begin + kStart + kBytes * layers / kLayers});
  }
  return sums;
}

void draw_pass(Svg& svg, double top, const std::string& name, int layers) {
  constexpr double kFrom = 130, kUnit = 22, kRow = 14;
  svg.text({24, top - 6}, name, "label");
  svg.text({kFrom - 10, top + 12}, "pass", "note", Svg::Anchor::kEnd);
  svg.text({kFrom - 10, top + 29}, "sums", "note", Svg::Anchor::kEnd);
  for (int layer = 0; layer < kLayers; ++layer)
    svg.box({kFrom + kUnit * layer, top + 1}, kUnit - 1, kRow, "used",
            "layer " + std::to_string(kLayers - 1 - layer));
  const std::vector<Span> sums = sums_of(layers);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const double x = kFrom + kUnit * sums[i].from;
    svg.box({x, top + 18}, kUnit * kStart, kRow, "waste", "start of sum " + std::to_string(i + 1));
    svg.box({x + kUnit * kStart, top + 18}, kUnit * (sums[i].to - sums[i].from - kStart) - 1, kRow, "owner1",
            "bytes of sum " + std::to_string(i + 1));
  }
  svg.text({kFrom + kUnit * sums.back().to + 6, top + 29}, grader::compact(sums.back().to), "label");
}

std::string buckets_figure() {
  Svg svg(
      kWidth, 236, "Sums of gradients behind and beside a backward pass",
      "Three pairs of rows, a backward pass of sixteen layers and the sums of its gradients. One sum begins "
      "when the pass is over and ends at 23.2. One sum for each layer begins after the first layer, falls "
      "behind, and ends at 26.2. Four sums of four layers each keep up, and the last ends at 18.7");
  svg.text({24, 24}, "One sum hides nothing, sixteen are mostly starts; of four only the last is seen",
           "title");
  svg.text({24, 42}, "blue: a layer of the pass; orange: start of a sum; green: its bytes. A unit is a layer",
           "note");
  draw_pass(svg, 72, "one sum behind the pass", kLayers);
  draw_pass(svg, 128, "a sum for each layer", 1);
  draw_pass(svg, 184, "four buckets", 4);
  return svg.str();
}

// Breaks when the figure shows other times than the page's formulas give.
TEST(Buckets, TheLastOneIsSeen) {
  EXPECT_DOUBLE_EQ(sums_of(kLayers).back().to, kLayers + kBytes + kStart);
  EXPECT_DOUBLE_EQ(sums_of(4).back().to, kLayers + kBytes / 4 + kStart);
  EXPECT_NEAR(sums_of(1).back().to, 1 + kBytes + kLayers * kStart, 1e-9);
}

// Breaks when the page's best bucket does not follow from its figures: 256 MB, 4 ms, 60 us, 270 GB/s.
TEST(Buckets, ThePagesBucketIsTheSmallestThatKeepsUp) {
  const double pass = 4000, start = 60, bytes = 1.5 * 256e3 / 270;
  const double count = (pass - bytes) / start;
  EXPECT_NEAR(count, 43, 0.05);
  EXPECT_NEAR(256 / count, 5.96, 0.01);
  EXPECT_NEAR(pass + bytes / count + start, 4093, 1);
  EXPECT_NEAR(pass + bytes + start, 5482, 1);
  EXPECT_NEAR(pass / 200 + bytes + 200 * start, 13'442, 1);
}

// Break when the rules above change and the pictures do not.
TEST(Page, RingFigureIsCurrent) { expect_current(kRoot / "labs/13-ring/ring.svg", ring_figure()); }
TEST(Page, BucketsFigureIsCurrent) { expect_current(kRoot / "labs/13-ring/buckets.svg", buckets_figure()); }
TEST(Page, LinksFigureIsCurrent) { expect_current(kRoot / "labs/13-ring/links.svg", links_figure()); }

}  // namespace
}  // namespace roofline::docs::ring_pictures
