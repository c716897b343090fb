// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The figures of labs 07 to 15, of their discussion and of the pages made for them, from the GPUs' numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "docs/tests/derivations.h"

namespace roofline::docs {
namespace {

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
