// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "docs/tests/text_files.h"
#include "simulator/timing/device_description.h"

// What a page derives on paper, derived again: from data sheets (the device files), from what the page names
// as given, or from figures that stand elsewhere on the same page.
namespace roofline::docs {
namespace {

/// A page as one line: line breaks and the bars of tables do not matter.
std::string flat(const std::string& path) {
  return std::regex_replace(text_of(kRoot / path), std::regex("\\s+"), " ");
}

/// With so many digits behind the point.
std::string number(double value, int decimals = 0) {
  std::ostringstream out;
  out.setf(std::ios::fixed);
  out.precision(decimals);
  out << value;
  return out.str();
}

/// 12480 as pages write it: 12 480.
std::string spaced(double value) {
  std::string digits = number(value);
  if (digits.size() > 4) digits.insert(digits.size() - 3, " ");
  return digits;
}

void expect_says(const std::string& page, const std::string& words) {
  EXPECT_NE(flat(page).find(words), std::string::npos) << page << " does not say: " << words;
}

/// The one number between `before` and `after` on a page.
double read(const std::string& page, const std::string& before, const std::string& after) {
  const std::string text = flat(page);
  const std::size_t from = text.find(before);
  EXPECT_NE(from, std::string::npos) << page << ": no " << before;
  if (from == std::string::npos) return NAN;
  const std::size_t at = from + before.size(), to = text.find(after, at);
  EXPECT_NE(to, std::string::npos) << page << ": no " << after << " after " << before;
  return std::stod(text.substr(at, to - at));
}

struct Gpu {
  double lanes_hz, flops, dram, copy, tensor, link;  ///< a second; bytes a second

  explicit Gpu(const std::string& id) {
    const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", id);
    lanes_hz = 32 * d.issue_rate * d.sms * d.clock_mhz * 1e6;
    flops = 2 * 32 * d.fma_rate * d.sms * d.clock_mhz * 1e6;
    dram = d.dram_gbps * 1e9;
    copy = dram * d.dram_copy_efficiency;
    tensor = std::round(d.tensor_f16_f32_flops_per_clock * d.sms * d.tensor_clock_mhz * 1e-6) * 1e12;
    link = d.pinned_gbps * 1e9;
  }
  double slots(double bytes) const { return bytes * lanes_hz / copy; }        ///< instructions beside them
  double fp32_slots(double bytes) const { return bytes * flops / 2 / copy; }  ///< of them FP32
};

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

TEST(Derived, LimitsOfLab07) {
  const std::string page = "labs/07-onchip/README.md";
  const Gpu a100("a100-sxm4-40gb");
  const auto us = [&](double bytes) { return number(bytes / a100.dram * 1e6) + " us"; };
  expect_says(page, "8 B * 8192 * 8192 / 1555 GB/s = " + us(8.0 * 8192 * 8192));
  for (const double bytes : {4.0, 2.0, 8.0})
    expect_says(page, number(bytes) + " B * 2^28 / 1555 GB/s = " + us(bytes * std::exp2(28)));
  // Banks of a column of a tile, with and without padding.
  for (const int row : {32, 33})
    expect_says(page, "| column 5 | 5, " + std::to_string(row + 5) + ", " + std::to_string(2 * row + 5) +
                          " ... " + std::to_string(31 * row + 5) + " |");
  // Part C: atomics on one address, and the clocks of an SM for a warp's 64 bytes at the read roof.
  const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", "a100-sxm4-40gb");
  const double all = std::exp2(28) / (d.atomic_same_address_per_clock * d.clock_mhz * 1e6);
  expect_says(page, "2^28 of them take " + number(all, 2) + " s, eight hundred times the limit");
  EXPECT_NEAR(all / (2 * std::exp2(28) / a100.dram), 800, 10);
  const double read_roof = d.dram_gbps * d.dram_read_efficiency * 1e9;
  EXPECT_NEAR(read(page, "and an A100 has ", " clocks an SM"), 64.0 * d.sms / read_roof * d.clock_mhz * 1e6,
              0.1);
}

TEST(Derived, LimitsOfLab08) {
  const std::string page = "labs/08-rows/README.md";
  const Gpu a100("a100-sxm4-40gb"), h200("h200");
  expect_says(page, "4 B * 8192 * 4096 / 1555 GB/s = " + number(4.0 * 8192 * 4096 / a100.dram * 1e6) + " us");
  expect_says(page, number(a100.slots(4)) + " instructions an element on an A100, " + number(h200.slots(4)) +
                        " on an H200");
  for (const auto& [id, decimals] : {std::pair{"a100-sxm4-40gb", 0}, std::pair{"h200", 1}}) {
    const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", id);
    const double sfu = d.sms * 16 * d.clock_mhz * 1e6, elements = Gpu(id).copy / 4;
    EXPECT_EQ(d.sfu_rate * 32, 16) << id;
    expect_says(page, "= " + number(sfu * 1e-12, 1) + " · 10¹² |");
    EXPECT_NE(flat(page).find(number(sfu / elements, decimals)), std::string::npos) << id;
  }
  // Rows of 256 KiB, one for each SM.
  for (const char* id : {"a100-sxm4-40gb", "h200", "t4"}) {
    const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", id);
    expect_says(page, "| " + number(static_cast<double>(d.l2_bytes) / (1 << 20)) + " MiB | " + number(d.sms) +
                          ": " + number(d.sms / 4.0) + " MiB |");
  }
  const sim::DeviceDescription a = sim::load_device(kRoot / "common/simulator/devices", "a100-sxm4-40gb"),
                               h = sim::load_device(kRoot / "common/simulator/devices", "h200");
  expect_says(page, "An H200 has " + number(h.dram_gbps / a.dram_gbps, 1) +
                        " times the DRAM bandwidth of an A100, but only " + number(h.l2_gbps / a.l2_gbps, 1) +
                        " times that of its L2");
}

// A running sum of 3, 5, 4, and floats that lose a variance.
TEST(Derived, SumsOfLab08) {
  const std::string page = "labs/08-rows/README.md";
  const double after_5 = std::exp(3.0 - 5) + 1, after_4 = after_5 + std::exp(4.0 - 5);
  expect_says(page, "| 5 | 5 | 1 · exp(3 - 5) + 1 = " + number(after_5, 3) + " |");
  expect_says(page, "| 4 | 5 | " + number(after_5, 3) + " + exp(4 - 5) = " + number(after_4, 3) + " |");
  volatile float squares = 0;  // each sum is rounded to a float
  for (const float x : {10000.0F, 10001.0F, 10002.0F, 10003.0F}) {
    const volatile float square = x * x;
    squares = squares + square;
  }
  const float mean = squares / 4, square_of_mean = 10001.5F * 10001.5F;
  EXPECT_EQ(squares, 400120000.0F);
  EXPECT_EQ(mean, 100030000.0F);
  EXPECT_EQ(mean - square_of_mean, 0.0F);
}

TEST(Derived, LinkOfLab09) {
  const std::string page = "labs/09-input/README.md";
  const Gpu a100("a100-sxm4-40gb"), h200("h200");
  const double values = 256.0 * 224 * 224 * 3, link = 25e9, ordinary = 10e9;
  expect_says(page, "three colours each: " + number(values * 1e-6, 1) + " million values");
  const auto ms = [&](double bytes, double rate, int decimals) {
    return number(bytes * values / rate * 1e3, decimals) + " ms";
  };
  expect_says(page, "| bytes | 38.5 MB | **" + ms(1, link, 2) + "** | " + ms(1, ordinary, 1) + " |");
  expect_says(page, "| halves | 77 MB | " + ms(2, link, 1) + " | " + ms(2, ordinary, 1) + " |");
  expect_says(page, "| floats | 154 MB | " + ms(4, link, 1) + " | **" + ms(4, ordinary, 1) + "** |");
  expect_says(page, "1555 GB/s = " + number(3 * values / a100.dram * 1e6) + " us");
  expect_says(page, "saves " + number(3 * values / link * 1e3, 1) + " ms of link");
  expect_says(page, "passes " + number(a100.copy / 3 * 1e-9) + " · 10⁹ elements a second");
  expect_says(page, "= " + number(a100.slots(3)) + " instructions for each element");
  expect_says(page, "which has " + number(h200.slots(3)) + " instructions for an element instead of " +
                        number(a100.slots(3)));
  expect_says(page, number(44.0 / 26, 1) + "; six had nothing to do");
}

TEST(Derived, LimitsOfLab11) {
  const std::string page = "labs/11-attention/README.md";
  const Gpu a100("a100-sxm4-40gb");
  const double n = 4096, heads = 32, d = 64, pairs = heads * n * n, exponentials = 108 * 16 * 1.41e9;
  expect_says(page, "there are " + number(pairs * 1e-6) + " million pairs");
  const auto tens = [](double value) { return number(std::round(value / 10) * 10); };
  expect_says(page, "| " + number(256 * pairs * 1e-9) + " GFLOP | 312 TFLOP/s | **" +
                        tens(256 * pairs / a100.tensor * 1e6) + " us** |");
  expect_says(page, "= " + number(8 * n * heads * d * 1e-6) + " MB | 1555 GB/s | " +
                        number(8 * n * heads * d / a100.dram * 1e6) + " us |");
  expect_says(page, "4 · " + number(2 * pairs * 1e-9, 2) + " GB | 1555 GB/s | **" +
                        tens(8 * pairs / a100.dram * 1e6) + " us** |");
  expect_says(page, "a second | **" + tens(pairs / exponentials * 1e6) + " us** |");
  // 16 pairs in clocks of an SM: products, one clock of exponentials, and some operations on FP32 lanes.
  struct Sm {
    const char* row;
    double flops, rest;
    int decimals;
  };
  for (const Sm& sm : {Sm{"A100: 2048 FLOP a clock, 64 FP32 lanes", 2048, 0.9, 0},
                       Sm{"H200: 2600 with `mma.sync`, 128 lanes", 2600, 0.4, 1},
                       Sm{"L40S: 1024, 128 lanes", 1024, 0.4, 0}}) {
    const double products = 16 * 256 / sm.flops, all = products + 1 + sm.rest;
    expect_says(page, std::string("| ") + sm.row + " | " + number(products, sm.decimals) + " | 1 | " +
                          number(sm.rest, 1) + " | " + number(all, 1) + ": ");
    EXPECT_NE(flat(page).find(number(100 * products / all) + " %"), std::string::npos) << sm.row;
  }
  expect_says(page, "312 TFLOP/s / 128 = " + number(312.0 / 128, 1) + " TB/s");
  // Steps of 64 keys that a causal block of 128 rows makes, n = 1024.
  int steps = 0;
  for (int block = 0; block < 8; ++block) steps += 2 * (block + 1);
  expect_says(page,
              "For n = 1024 that is " + std::to_string(steps) + " of " + std::to_string(8 * 16) + " steps");
  const double l = (std::exp(1.0 - 3) + 1) + std::exp(2.0 - 3),
               o = (10 * std::exp(1.0 - 3) + 20) + 40 * std::exp(2.0 - 3);
  expect_says(page, "o / l = " + number(o / l, 1));
}

TEST(Derived, LimitsOfLab12) {
  const std::string page = "labs/12-precision/README.md";
  const Gpu a100("a100-sxm4-40gb");
  expect_says(page, "a network of 125 million parameters takes " + number(28 * 125e6 / a100.dram * 1e3, 2) +
                        " ms a step");
  expect_says(page, "6 million parameters need " + number(28 * 6e6 / a100.copy * 1e3, 2) + " ms");
  expect_says(page, "with 30 a step reaches " + number(28.0 / 30, 2) + " of it");
  expect_says(page, "the gradients fill " + number(4 * 2 / 28.0, 2) + " of L2");
  const double flops = 2 * std::pow(4096.0, 3), bytes = 4 * std::pow(4096.0, 2);
  expect_says(page, number(flops * 1e-9, 1) + " GFLOP");
  struct Sheet8 {
    const char* id;
    double tflops;
  };
  for (const Sheet8& gpu : {Sheet8{"l40s", 733}, Sheet8{"rtx4090", 330}}) {
    const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", gpu.id);
    const double rate = d.tensor_f8_flops_per_clock * d.sms * d.tensor_clock_mhz * 1e6;
    EXPECT_NEAR(rate * 1e-12, gpu.tflops, 0.5) << gpu.id;
    expect_says(page, "**" + number(gpu.tflops));
    expect_says(page, " | " + number(flops / rate * 1e6) + " us | ");
    expect_says(page, number(bytes / (d.dram_gbps * 1e9) * 1e6) + " us | " +
                          number(rate / (d.dram_gbps * 1e9)) + " FLOP/B |");
  }
  expect_says(page, "448² = " + number(448.0 * 448));
}

TEST(Derived, AmdahlOfLab14) {
  std::string said;
  for (const int percent : {25, 50, 75, 100}) {
    std::string gain = number(1 / (1 - percent / 200.0), 2);
    while (gain.back() == '0' || gain.back() == '.') gain.pop_back();
    said += (said.empty() ? "p = " : ", \\quad ") + std::to_string(percent) + "\\,\\% \\to " + gain;
  }
  expect_says("labs/14-detective/README.md", said);
}

// Lab 15's budget: each line is the larger of its bytes at the copy roof and its FLOPs at the mma roof.
TEST(Derived, BudgetOfLab15) {
  const std::string page = "labs/15-step/README.md";
  const double copy = read(page, "with its copy roof of ", " GB/s"),
               mma = read(page, "its mma roof of ", " TFLOP/s");
  double flops = 0, budget = 0, first = 0, last = 0;
  const auto value = [](const std::string& cell) {
    const std::size_t digit = cell.find_first_of("0123456789");
    return digit == std::string::npos ? 0.0 : std::stod(cell.substr(digit));
  };
  for (const std::string& line : lines_of(text_of(kRoot / page))) {
    std::vector<std::string> row;
    std::istringstream in(line);
    for (std::string cell; std::getline(in, cell, '|');) row.push_back(trimmed(cell));
    if (row.size() != 9 || row[1] == "operation" || row[1] == "---") continue;
    if (row[1] == "**together**") {
      EXPECT_NEAR(value(row[6]), budget, 0.3);
      EXPECT_NEAR(value(row[7]), first, 0.5);
      EXPECT_NEAR(value(row[8]), last, 0.7);
      continue;
    }
    flops += value(row[2]);
    budget += value(row[6]);
    first += value(row[7]);
    last += value(row[8]);
    if (row[3].empty()) continue;
    EXPECT_NEAR(value(row[5]), value(row[3]) * 1e3 / copy, 0.09) << row[1];  // of rounded figures
    EXPECT_NEAR(value(row[4]), value(row[2]) * 1e3 / mma, 0.07) << row[1];
    EXPECT_EQ(value(row[6]), std::max(value(row[4]), value(row[5]))) << row[1];
  }
  // Forward and twice as much backward: products with 12 C² weights, and attention within sequences of 192,
  // which has two products forward and five backward, of which two are the forward's again.
  const double tokens = 1728, width = 256, length = 192;
  const double weights = 6 * tokens * 12 * width * width * 1e-9,
               attention = 2 * tokens * length * width * 1e-9;
  EXPECT_NEAR(flops, weights + attention * (2 + 4), 0.05);
  expect_says(page, "| do | " + number(2 * tokens * width * width * 1e-9, 2) + " |");
  expect_says(page, "| u, gelu | " + number(8 * tokens * width * width * 1e-9, 2) + " |");
}

// The arithmetic of some model answers.
TEST(Derived, FiguresOfTheDiscussion) {
  const std::string page = "docs/discussion.md";
  const double picoseconds = 3e3 / 864, saved = 2 * (1.0 / 362 - 1.0 / 733);
  expect_says(page, number(picoseconds, 1) + " ps for each");
  expect_says(page, "= " + number(saved, 4) + " m n k");
  EXPECT_NEAR(read(page, "n has to be more than ", " or so"), picoseconds / saved, 5);
  expect_says(page, "from 6 to " + std::to_string(2 * 63) + " steps");
}

// What attention moves with and without its scores in memory.
TEST(Derived, IntensityOfAttention) {
  expect_says("docs/compilers.md", number(64.0 / 2) + " FLOP/B for d = 64");
  expect_says("docs/compilers.md", number(4096.0 / 2) + " FLOP/B for n = 4096");
}

}  // namespace
}  // namespace roofline::docs
