// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "docs/tests/text_files.h"
#include "simulator/timing/device_description.h"

// What a page says, and the figures of a GPU that its formulas are made of.
namespace roofline::docs {

/// A page as one line: line breaks and the bars of tables do not matter.
inline std::string flat(const std::string& path) {
  return std::regex_replace(text_of(kRoot / path), std::regex("\\s+"), " ");
}

/// With so many digits behind the point.
inline std::string number(double value, int decimals = 0) {
  std::ostringstream out;
  out.setf(std::ios::fixed);
  out.precision(decimals);
  out << value;
  return out.str();
}

/// 12480 as pages write it: 12 480.
inline std::string spaced(double value) {
  std::string digits = number(value);
  if (digits.size() > 4) digits.insert(digits.size() - 3, " ");
  return digits;
}

inline void expect_says(const std::string& page, const std::string& words) {
  EXPECT_NE(flat(page).find(words), std::string::npos) << page << " does not say: " << words;
}

/// The one number between `before` and `after` on a page.
inline double read(const std::string& page, const std::string& before, const std::string& after) {
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

}  // namespace roofline::docs
