// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include "simulator/timing/timeline.h"

namespace roofline::sim {

inline constexpr double kMicro = 1e-6;
inline constexpr double kTiny = 1e-12;
inline constexpr u64 kMega = 1 << 20;

/// An A100 with two blocking streams, 1 and 2, and one that is none, 3.
class TimelineTest : public testing::Test {
 protected:
  TimelineTest() : device_(load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb")), timeline_(device_) {
    timeline_.create_stream(1, false);
    timeline_.create_stream(2, false);
    timeline_.create_stream(3, true);
  }
  TimelineEntry last() const { return timeline_.entries().back(); }
  double pinned(u64 bytes) const {
    return (static_cast<double>(bytes) + device_.copy_half_size_bytes) / (device_.pinned_gbps * 1e9);
  }

  DeviceDescription device_;
  Timeline timeline_;
};

}  // namespace roofline::sim
