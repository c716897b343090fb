// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace roofline::sim {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using f32 = float;
using f64 = double;

/// A count, to calculate with.
constexpr double number(u64 count) { return static_cast<double>(count); }

/// Threads in a warp, on every CUDA device.
inline constexpr int kWarpSize = 32;

/// DRAM and L2 traffic is counted in sectors of this many bytes.
inline constexpr u64 kSectorBytes = 32;

/// A cache line holds four sectors.
inline constexpr u64 kLineBytes = 128;

/// Three-component extent of a grid or block.
struct Dim3 {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
};

}  // namespace roofline::sim
