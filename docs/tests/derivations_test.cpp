// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The figures of labs 01 to 06 and of the pages about regimes, models and overhead, from the GPUs' numbers.
#include "docs/tests/derivations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace roofline::docs {
namespace {

TEST(Derived, InstructionsBesideEightBytes) {
  const Gpu a100("a100-sxm4-40gb");
  const double flops = a100.flops * 8 / a100.dram;
  expect_says("docs/three-regimes.md",
              "= **" + number(flops) + " FLOPs**. That is **" + number(flops / 2) + " instructions**");
}

TEST(Derived, BudgetsOfLab03) {
  const std::string page = "labs/03-fusion/README.md";
  const Gpu a100("a100-sxm4-40gb"), h200("h200");
  for (const Gpu* gpu : {&a100, &h200})
    expect_says(page, number(gpu->copy * 1e-9) + " GB/s | " + number(gpu->slots(8)) + " instructions | " +
                          number(gpu->fp32_slots(8)) + " |");
  // 80 instructions make four random numbers, 40 are the rest of an element.
  expect_says(page, "The budget for 12 bytes is " + number(a100.slots(12)) +
                        " on the A100, so that would take " + number(100 * (80 + 40) / a100.slots(12)) +
                        " % of it; on the H200 it is " + number(h200.slots(12)));
  EXPECT_GT(80 + 40, h200.slots(12));
  EXPECT_LT(80 / 4 + 40, h200.slots(12));
  expect_says(page, "9 · 36 = " + number(9 * 36) +
                        " instructions an element, and the bytes of two kernels leave "
                        "room for 2 · 113 = " +
                        number(2 * std::round(a100.slots(8))));
  // A tile of 256 outputs with nine neighbours: eight values more.
  expect_says(page, "Only the halo of 8, " + number(100 * 8.0 / 256) + " % of the tile");
  expect_says("docs/compilers.md",
              number(256 + 8) + " values for 256 outputs, " + number(100 * 8.0 / 256) + " % more");
}

TEST(Derived, PassesOfTheEndOfALayer) {
  const Gpu a100("a100-sxm4-40gb");
  const double pass = 16384.0 * 1024 * 2;
  const auto passes = [&](int n) {
    return number(n * pass * 1e-6) + " MB or " + number(n * pass / a100.copy * 1e6) + " µs";
  };
  expect_says("docs/compilers.md", "one pass over a matrix is " + number(pass * 1e-6, 1) +
                                       " MB. Four kernels make nine passes, " + passes(9) + " at the " +
                                       number(a100.copy * 1e-9) + " GB/s");
  expect_says("docs/compilers.md", "one kernel makes three, " + passes(3));
}

TEST(Derived, TheFractionOfTheExample) {
  const double rate = 209.7e6 / 160e-6 * 1e-9;
  expect_says("docs/measuring.md", "moves 209.7 MB in 160 µs, which is " + number(rate) + " GB/s");
  expect_says("docs/measuring.md", number(rate) + " / 1372 = " + number(rate / 1372, 2));
}

// What lab 01 says of bytes, sectors and bytes in flight.
TEST(Derived, LittlesLawInLab01) {
  const std::string page = "labs/01-pointwise/README.md";
  const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", "a100-sxm4-40gb");
  const Gpu a100("a100-sxm4-40gb");
  const double in_flight = 1555 * 400, an_sm = in_flight / d.sms;
  expect_says(page, "1555 · 400 ≈ " + number(std::round(in_flight / 1e4) * 10) + " 000 bytes");
  expect_says(page, "On " + number(d.sms) + " SMs that is about " + number(an_sm * 1e-3, 1) +
                        " KB an SM, or " + number(an_sm / (32 * 4)) + " warps");
  expect_says(page, "The arithmetic could be done fifty times");
  EXPECT_NEAR((8 / a100.dram) / (2 / a100.flops), 50, 0.5);
  // The graded arrays: five times L2, read and written together. What the copy takes more than at the
  // device's bandwidth is its launch.
  const auto arrays = 5 * static_cast<double>(d.l2_bytes);
  const double took = read(page, "moves " + number(arrays * 1e-6, 1) + " MB takes only ", " µs") * 1e-6;
  EXPECT_NEAR(took - arrays / a100.copy, d.kernel_start_us * 1e-6, 0.1e-6);
  EXPECT_NEAR(arrays / took * 1e-9, read(page, "`./lab roofs` shows it: ", " GB/s"), 1);
}

TEST(Derived, TheRidgeOfLab02) {
  const Gpu a100("a100-sxm4-40gb");
  const double ridge = a100.flops / a100.copy;
  expect_says("labs/02-intensity/README.md",
              "= " + number(ridge, 1) + " FLOP/B, or repeat = " + number(ridge * 8 / 2));
}

// Intensity of a block's tile and what L2 must deliver to it.
TEST(Derived, TilesOfLab04) {
  struct Tile {
    const char* name;
    double rows, columns;
    int decimals;
  };
  for (const Tile& tile : {Tile{"16 x 16 (a tile a warp)", 16, 16, 0},
                           {"64 x 64", 64, 64, 1},
                           {"128 x 128", 128, 128, 1},
                           {"128 x 256", 128, 256, 1}}) {
    const double intensity = tile.rows * tile.columns / (tile.rows + tile.columns);
    expect_says("labs/04-gemm/README.md", std::string("| ") + tile.name + " | " + number(intensity) + " | " +
                                              number(312 / intensity, tile.decimals) + " TB/s |");
  }
}

// The model answer to lab 04's open question: bytes that 64 x 256 x 16 reads from shared memory.
TEST(Derived, WgmmaReadsLess) {
  const double a = 64 * 16 * 2, b = 16 * 256 * 2, flops = 2.0 * 64 * 256 * 16, warps = 4 * (64 + 64) * 16 * 2;
  const auto grouped = [](double value) {
    return number(std::floor(value / 1000)) + " " + number(std::fmod(value, 1000));
  };
  expect_says("docs/course.md", grouped(a + b) + " bytes for " + grouped(flops) + " FLOPs, " +
                                    number(flops / (a + b)) + " FLOP/B, or " + number(flops / b) +
                                    " FLOP/B with");
  expect_says("docs/course.md", grouped(warps) + " bytes: " + number(flops / warps) + " FLOP/B");
  EXPECT_EQ(flops / warps, 4096.0 / 128);
}

TEST(Derived, GradientsHideBehindTheBackwardPass) {
  // 4 P T FLOPs of the backward pass for the 4 P bytes of a ring: T FLOPs a byte.
  const Gpu a100("a100-sxm4-40gb");
  constexpr double kBackward = 4, kRingBytes = 4, kNvlink = 300e9;
  expect_says("docs/three-regimes.md",
              "NVLink hides behind " +
                  spaced(std::round(a100.tensor / kNvlink * kRingBytes / kBackward / 10) * 10) +
                  " tokens a GPU and step, PCIe behind " +
                  spaced(std::round(a100.tensor / a100.link * kRingBytes / kBackward / 10) * 10));
}

TEST(Derived, WhatAbsentGradientsSave) {
  constexpr double kBytes = 11.7e6 * 4, kBandwidth = 900e9, kImages = 1024, kRate = 1670;
  const double pass = kBytes / kBandwidth * 1e6, step = kImages / kRate * 1e3;
  expect_says("docs/whole-models.md", "one pass is " + number(pass) + " µs at 900 GB/s, four are " +
                                          number(4 * pass) + " µs. A step of 1024 images takes " +
                                          number(step) + " ms, so the gain is at most **" +
                                          number(4 * pass / step / 1e3 * 100, 2) + " %**");
}

TEST(Derived, SizesOfWholeModels) {
  const std::string page = "docs/whole-models.md";
  constexpr double kBillion = 7, kWidth = 4096, kTokens = 32 * 1000;
  const Gpu a100("a100-sxm4-40gb");
  expect_says(page, "7 · 16 = " + number(kBillion * (2 + 2 + 4 + 8)) + " GB");
  const double halves = kBillion * 2, quarter = kBillion / 2;
  expect_says(page, "at least 14 / 1555 s = " + number(halves * 1e9 / a100.dram * 1e3, 1) +
                        " ms on an A100. With 4 bits a weight it is " + number(quarter, 1) + " GB and " +
                        number(quarter * 1e9 / a100.dram * 1e3, 1) + " ms");
  const double weights = 2 * kWidth * kWidth, token = 2 * kWidth;
  expect_says(page, "= " + number(weights * 1e-6, 1) +
                        " MB of weights; one token's activations are 2 · 4096 = " + number(token * 1e-3, 1) +
                        " kB. They are equal at **" + number(weights / token) + " tokens**");
  expect_says(page, "(" + number(64 * token * 1e-6, 1) + " MB)");
  expect_says(page,
              "(" + number(weights * 1e-6, 1) + " MB instead of " + number(kTokens * token * 1e-6) + ")");
  expect_says(page, "a factor of " + number(1580.0 / 1200, 2));
}

TEST(Derived, TheExampleOfTheQuestions) {
  const Gpu a100("a100-sxm4-40gb");
  const double bytes = 3 * 4 * std::exp2(24), us = bytes / a100.copy * 1e6;
  expect_says("docs/faq.md", "= " + number(bytes * 1e-6) + " MB, which takes " + number(us) + " µs at the " +
                                 number(a100.copy * 1e-9) + " GB/s of a copy. So it reaches " +
                                 number(100 * us / 170) + " % of that rate");
}

TEST(Derived, OverheadOfSmallKernels) {
  const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", "a100-sxm4-40gb");
  const double own = 2.62 - d.kernel_gap_us - d.kernel_start_us;
  expect_says("labs/05-launch/README.md",
              "estimate at " + number(own, 2) + " µs. So overhead is " + number(2.62 - own, 2) +
                  " µs of 2.62, " + number(100 * (2.62 - own) / 2.62) + " %, and " + number(1.34 - own, 2) +
                  " of 1.34, " + number(100 * (1.34 - own) / 1.34) + " %");
}

// Where computing again costs as much as the link, in lab 06.
TEST(Derived, CrossingsOfLab06) {
  const std::string page = "labs/06-memory/README.md";
  const Gpu a100("a100-sxm4-40gb"), h200("h200");
  const double sheet_flops =
      std::round(h200.flops * 1e-11) * 1e11;  // the page divides the 66.9 that it shows
  const auto tens = [](double value) { return spaced(std::round(value / 10) * 10); };
  expect_says(page, "| 25 GB/s | " + number(a100.flops / a100.link) + " FLOP/B | " + number(2 * 780) + " |");
  expect_says(page, "| 25 GB/s | " + tens(a100.tensor / a100.link) + " FLOP/B | " +
                        tens(a100.tensor / a100.link) + " |");
  expect_says(page, "| 55 GB/s | " + number(sheet_flops / h200.link) + " FLOP/B | " +
                        number(std::round(2 * h200.flops / h200.link / 10) * 10) + " |");
  const double again = 2 / a100.copy, over = 1 / a100.link;
  expect_says(page, "on the A100 by a factor of " + number(over / again));
}

// The table of copies in lab 06: (bytes + the size at which half the rate is reached) / rate.
TEST(Derived, CopiesOfLab06) {
  struct Size {
    const char* name;
    double kib;
    int decimals;
  };
  for (const Size& size :
       {Size{"64 KiB", 64, 1}, {"256 KiB", 256, 1}, {"1 MiB", 1024, 1}, {"16 MiB", 16384, 0}}) {
    std::string row = std::string("| ") + size.name + " |";
    for (const char* id : {"a100-sxm4-40gb", "h200"}) {
      const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", id);
      const double bytes = size.kib * 1024,
                   us = std::max(d.copy_latency_us,
                                 (bytes + d.copy_half_size_bytes) / (d.pinned_gbps * 1e9) * 1e6);
      row += " " + number(us, size.decimals) + " µs, " + number(bytes / us * 1e-3, 1) + " GB/s |";
    }
    expect_says("labs/06-memory/README.md", row);
  }
}

// The README repeats two summaries of the one GPU that was measured: of grades, and of versions.
TEST(Derived, TheReadmeRepeatsTheSummariesOfTheLabs) {
  const std::string text = flat("docs/results/labs.md"), worst = " %, worst ";
  const auto summary = [&](const std::string& section, const std::string& before) {
    const std::size_t at = text.find(before, text.rfind(section)) + before.size();
    return std::pair(std::stod(text.substr(at)), std::stod(text.substr(text.find(worst, at) + worst.size())));
  };
  const auto grades = summary("### Grades of the reference solutions", "points, median error "),
             versions = summary("### Labs, rungs and sweeps", "points, median error ");
  expect_says("README.md", "fractions of the roof are " + number(grades.first) + " % off at the median and " +
                               number(grades.second) + " % at most");
  expect_says("README.md", "(" + number(versions.first) + " % off at the median, " + number(versions.second) +
                               " % at most)");
}

// Products and activations of a chain of layers, by what is kept.
TEST(Derived, ProductsOfLab06) {
  const std::string page = "labs/06-memory/README.md";
  const int layers = 16, segment = 4, step = 3 * layers, again = (segment - 1) * (segment - 1);
  expect_says(page, "| everything kept | " + number(layers + 2) + " | 16 + 32 = " + number(step) + " |");
  expect_says(page, "| recomputed by segments | " + number(2 * segment + 1) + " | 48 + " + number(again) +
                        " = " + number(step + again) + " |");
  expect_says(page, "| 48 + " + number(layers) + " = " + number(step + layers) + " |");
  const int from_input = layers * (layers - 1) / 2;
  expect_says(page, "| 48 + " + number(from_input) + " = " + number(step + from_input) + " |");
  expect_says(page, "With 64 layers, " + number(2 * 8 + 1) + " activations instead of " + number(64 + 2) +
                        " cost " + number(7 * 7) + " products more than the " + number(3 * 64));
}

// The rates come from the tables of the same page, which are simulated: they change with the time model.
TEST(Derived, CrossingOfLab06AsAchieved) {
  const std::string page = "labs/06-memory/README.md";
  const double kernels = read(page, "| A100 | ", " µs |"), copy = read(page, "| 256 KiB | ", " µs,");
  constexpr double kBatch = 128, kWidth = 512, kProducts = 3 * 16;
  const double product = kernels / kProducts, rate = 2 * kBatch * kWidth * kWidth / product * 1e-6,
               link = kBatch * kWidth * 4 / copy * 1e-3;
  expect_says(page, number(kernels) + " / 48 = " + number(product, 1) + " µs, " + number(rate, 2) +
                        " of 19.5 TFLOP/s");
  expect_says(page, "takes " + number(copy, 1) + " µs, at " + number(link, 1) + " of 25 GB/s");
  const double crossing = 2 * rate * 1e3 / link;
  EXPECT_NEAR(read(page, "GB/s = **", "**"), crossing, 0.01 * crossing);
  EXPECT_LT(crossing, kWidth) << "the page says that the graded width lies to the right of it";
}

}  // namespace
}  // namespace roofline::docs
