// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The figures of docs/three-regimes.md, of lab 05's first page and of the articles' walk through a profile,
// and those of labs 03 and 08 that are in the stored tables of ./lab bench and ./lab roofs.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "docs/tests/derivations.h"

namespace roofline::docs::derivations_of_regimes {
namespace {

const std::string kRegimes = "docs/three-regimes.md";

/// Rates of data sheets that have no device file here, and of those that have: FLOP/s of halves, bytes a
/// second.
struct Sheet {
  const char* name;
  double tensor, dram;
};
constexpr Sheet kV100{"V100 SXM2 (2017) | 125 TFLOP/s | 900 GB/s", 125e12, 900e9},
    kA100{"A100 SXM4 40 GB (2020) | 312 | 1555", 312e12, 1555e9},
    kH100{"H100 SXM (2022) | 989 | 3350", 989e12, 3350e9};

TEST(Derived, FactoriesGrowFasterThanRoads) {
  for (const Sheet& gpu : {kV100, kA100, kH100})
    expect_says(kRegimes, std::string("| ") + gpu.name + " | " + number(gpu.tensor / gpu.dram) + " |");
  const double arithmetic = kH100.tensor / kA100.tensor, memory = kH100.dram / kA100.dram;
  expect_says(kRegimes, "arithmetic became " + number(arithmetic, 1) + " times as fast and memory " +
                            number(memory, 1) + " times");
  EXPECT_NEAR(1 - memory / arithmetic, 1.0 / 3, 0.02) << "idle for a third of the time";
  const Gpu h200("h200"), h100("h100-sxm");
  expect_says(kRegimes, "an H100 with " + number(h200.dram / h100.dram, 1) + " times the bandwidth");
}

TEST(Derived, KernelsOfTheRoofline) {
  const Gpu a100("a100-sxm4-40gb");
  const double square = 4096.0 * 4096, product = 2 * square * 4096, bytes = (2 + 2 + 4) * square;
  expect_says(kRegimes, "| " + number(product * 1e-9) + " G | " + number(bytes * 1e-6) + " M | " +
                            number(product / bytes) + " | Tensor Cores |");
  expect_says(kRegimes, "| " + number(2 * square * 1e-6, 1) + " M | " + number(2 * square * 1e-6, 1) +
                            " M | 1 | memory |");
  const double multiplications = a100.flops / 2;
  expect_says(kRegimes, "1555 / 8 = " + number(a100.dram / 8 * 1e-9) + " GFLOP/s");
  expect_says(kRegimes, "19.5 / 2 = **" + number(multiplications * 1e-12, 2) + " TFLOP/s**");
  expect_says(kRegimes, "9750 / 1555 · 8 = " + number(multiplications / a100.dram * 8) + " repeats");
}

// Of the FLOPs and the time of a BERT encoder's step, in per cent.
TEST(Derived, RatesOfTheThreeKindsOfWork) {
  constexpr double kProducts = 99.80 / 61.0, kNormalisation = 0.17 / 25.5, kElementwise = 0.03 / 13.5;
  expect_says(kRegimes, "| 0.17 % | 25.5 % | 1/" + number(kProducts / kNormalisation) + " |");
  expect_says(kRegimes, "| 0.03 % | 13.5 % | 1/" + number(kProducts / kElementwise) + " |");
  expect_says(kRegimes, "the FLOPs are " + number(std::round(99.80 / 0.17 / 10) * 10) + " and " +
                            number(std::round(99.80 / 0.03 / 100) * 100) + " times fewer");
  EXPECT_NEAR(25.5 + 13.5, 200.0 / 5, 1.5) << "two fifths of the time";
  EXPECT_NEAR(125 / 15.7, 8, 0.1) << "a V100's lanes are 8 times slower than its Tensor Cores";
}

TEST(Derived, ALargerBatch) {
  constexpr double kWidth = 4096;
  const auto flops = [](double b) { return 2 * b * kWidth * kWidth; };
  const auto bytes = [](double b) { return 2 * (kWidth * kWidth + 2 * b * kWidth); };
  const auto us = [&](double b) { return 1e6 * std::max(flops(b) / kA100.tensor, bytes(b) / kA100.dram); };
  struct Row {
    double batch;
    int intensity, time, rows;  ///< decimals
  };
  for (const Row& row : {Row{1, 1, 1, 2}, Row{64, 0, 1, 1}, Row{222, 0, 1, 1}, Row{1024, 0, 0, 1}})
    expect_says(kRegimes, "| " + number(row.batch) + " | " +
                              number(flops(row.batch) / bytes(row.batch), row.intensity) + " | " +
                              number(us(row.batch), row.time) + " µs | " +
                              number(row.batch / us(row.batch), row.rows) + " M |");
  expect_says(kRegimes, "64 times the work for " + number(100 * (us(64) / us(1) - 1)) + " % more time");
  const double ridge = kA100.tensor / kA100.dram, batch = ridge * kWidth / (kWidth - 2 * ridge);
  expect_says(kRegimes, "passes the A100's " + number(ridge) + " FLOP/B at *b* = " + number(batch));
}

// What a GPU could do while a host does one thing, on the page of regimes and in lab 05.
TEST(Derived, WhatOverheadCosts) {
  constexpr double kPython = 32e6, kPytorch = 280e3, kLaunch = 2.62e-6, kNode = 1.34e-6;
  const auto two_digits = [](double value) {
    const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
    return std::round(value / unit) * unit;
  };
  const std::string lab = "labs/05-launch/README.md";
  const std::string python = number(kA100.tensor / kPython * 1e-6, 2) + " million",
                    pytorch = number(kA100.tensor / kPytorch * 1e-9, 1) + " billion",
                    launch = number(two_digits(kA100.tensor * kLaunch * 1e-6)) + " million",
                    node = number(two_digits(kA100.tensor * kNode * 1e-6)) + " million";
  expect_says(kRegimes, "= " + python + " FLOPs |");
  expect_says(kRegimes, "| 280 thousand | " + pytorch + " FLOPs |");
  expect_says(kRegimes, "| " + number(two_digits(1e-3 / kLaunch)) + " thousand | " + launch + " FLOPs, or " +
                            number(kA100.dram * kLaunch * 1e-6) + " MB from DRAM |");
  expect_says(kRegimes, "What PyTorch does in those " + number(1e6 / kPytorch, 1) + " µs");
  EXPECT_NEAR(kA100.dram * kLaunch / 8, 0.5e6, 0.02e6) << "half a million floats, read and written";
  expect_says(lab, "| an addition in Python | 32 million | " + python + " |");
  expect_says(lab, "| 280 000 | " + pytorch + " |");
  expect_says(lab, "| " + number(two_digits(1e-3 / kLaunch)) + " 000 | " + launch + " |");
  expect_says(lab, "| " + number(two_digits(1e-3 / kNode)) + " 000 | " + node + " |");
  expect_says(lab, "r > C / " + number(20 * (kLaunch - kNode) * 1e6, 1) + " us");
  const Gpu a100("a100-sxm4-40gb");
  expect_says(lab, "if it were DRAM | " + number(3 * 65536 / a100.copy * 1e6, 2) + " µs |");
  expect_says(lab, "at 19.5 TFLOP/s | " + number(3 * 16384 / a100.flops * 1e6, 3) + " µs |");
}

TEST(Derived, TheProfileOfTheArticles) {
  const std::string page = "docs/articles.md";
  constexpr double kValues = 512.0 * 3 * 224 * 224, kLink = 12e9, kDram = 900e9;
  expect_says(page, "512 · 3 · 224 · 224 = " + number(kValues * 1e-6) + " M values. As floats, " +
                        number(4 * kValues * 1e-6) + " MB take " + number(4 * kValues / kLink * 1e3) +
                        " ms over a PCIe 3 link of 12 GB/s; as bytes, which pictures are, " +
                        number(kValues / kLink * 1e3, 1) + " ms");
  expect_says(page, "at 900 GB/s: " + number(5 * kValues / kDram * 1e3, 2) + " ms");
  expect_says(page, "a factor of " + number(2477.0 / 1670, 2) + " arrived");
  expect_says(page, "32 / 46 ms is " + number(std::round(32 / 46e-3 / 100) * 100) +
                        " a second, fewer than the step before; 1200 a second are " +
                        number(32 / 1200.0 * 1e3) + " ms");
  EXPECT_NEAR(32 / 80e-3, 400, 1);
  EXPECT_NEAR(32 / 37e-3, 860, 6);
  EXPECT_NEAR(512 / 324e-3, 1580, 1);
  EXPECT_NEAR(3268.0 / 400, 8, 0.2) << "eight times as fast";
  expect_says(page,
              "an A10 is memory-bound | **compute**-bound: " + number(125e12 / 600e9) + " is the ridge");
}

nlohmann::json table(const std::string& name) {
  return nlohmann::json::parse(text_of(kRoot / "docs/results" / name));
}

/// GB/s of a version in the stored table of a simulated GPU.
double stored_rate(const std::string& gpu, const std::string& version) {
  const nlohmann::json all = table("simulated-" + gpu + ".bench.json");
  for (const nlohmann::json& row : all["benchmarks"])
    if (std::string(row["name"]).starts_with(version + "/iterations"))
      return row["bytes/s"].get<double>() * 1e-9;
  ADD_FAILURE() << gpu << " has no " << version;
  return NAN;
}

/// GB/s.
double stored_roof(const std::string& gpu, const std::string& id) {
  const nlohmann::json all = table("simulated-" + gpu + ".roofs.json");
  for (const nlohmann::json& roof : all["roofs"])
    if (roof["id"] == id) return roof["value"];
  ADD_FAILURE() << gpu << " has no roof " << id;
  return NAN;
}

TEST(Derived, SimulatedFiguresOfLab03) {
  const std::string page = "labs/03-fusion/README.md", a100 = "a100-sxm4-40gb", h200 = "h200";
  for (const auto& [name, gpu] : {std::pair{"A100-SXM4-40GB", a100}, std::pair{"H200", h200}})
    expect_says(page, std::string("| ") + name + " | " + number(stored_roof(gpu, "copy")) + " GB/s | " +
                          number(stored_rate(gpu, "03a/cosine/solution")) + " GB/s |");
  expect_says(page, "twice the bytes, " + number(stored_rate(a100, "03a/cosine/two-kernels")) +
                        " GB/s instead of " + number(stored_rate(a100, "03a/cosine/solution")));
  const auto share = [&](const std::string& version) {
    return number(100 * stored_rate(h200, "03b/bandwidth/" + version) / stored_roof(h200, "copy")) + " %";
  };
  expect_says(page, "four elements a thread: " + share("2-one-group") + " of the copy roof");
  expect_says(page, "keys at hand: " + share("solution"));
}

TEST(Derived, SimulatedFiguresOfLab08) {
  std::string rates;
  for (const char* width : {"256", "4096", "131072"})
    rates += (rates.empty()   ? ""
              : *width == '1' ? " and **"
                              : ", ") +
             number(stored_rate("h200", std::string("08b/columns-") + width + "/solution"));
  expect_says("labs/08-rows/README.md", "on an H200, whose copy roof is " +
                                            number(stored_roof("h200", "copy")) + " GB/s, " + rates + "**");
}

// Bytes an element where a row does not stay in L2, and the room in the tolerance.
TEST(Derived, LongRowsOfLab08) {
  const std::string page = "labs/08-rows/README.md";
  constexpr double kAgain = 2 * 3.0 / 4;  // three chunks of four are read again
  expect_says(page, "up to " + number(4 + kAgain, 1) + " bytes an element");
  expect_says(page, "expect between " + number(4 / (4 + kAgain), 2) + " and 1 of the roof there");
  expect_says(page,
              "Where a row does not fit into registers " + number(kAgain, 1) + " come from L2 a second time");
  const double roundings = 64 + 32 + 4096.0 / 512, half = std::exp2(-11);
  expect_says(page, "At 4096 columns that is " + number(100 * roundings * std::exp2(-24) / half) +
                        " % of the half's rounding");
  EXPECT_GT(std::exp(89.0), 3.4028235e38) << "exp overflows a float at 89";
  EXPECT_LT(std::exp(88.0), 3.4028235e38);
}

}  // namespace
}  // namespace roofline::docs::derivations_of_regimes
