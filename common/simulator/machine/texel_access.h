// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "simulator/machine/access.h"
#include "simulator/program/texture.h"

namespace roofline::sim {

/// The texels that one request of a warp touches: several a lane where it filters.
struct TexelRequest {
  static constexpr u32 kMost = 16;  ///< eight of a volume, on two levels
  AccessKind kind = AccessKind::kLoad;
  u32 width = 4;       ///< bytes that are moved of a texel, a power of two
  u32 clocks = 1;      ///< that the texture units need
  u32 count = 0;       ///< of the most lanes
  bool tiled = false;  ///< an array, whose tiles decide which texels share a sector
  std::array<u32, kMost> masks{};
  std::array<std::array<u64, kWarpSize>, kMost> addresses;
  std::array<std::array<u64, kWarpSize>, kMost> places;  ///< texel_place

  void add(u32 nth, u32 lane, u64 address, u64 place) {
    count = count > nth ? count : nth + 1;
    masks[nth] |= 1u << lane;
    addresses[nth][lane] = address;
    places[nth][lane] = place;
  }
};

/// The address of byte `x` of row `y` of slice `z`.
inline u64 texel_address(const TexelLevel& level, u64 x, u64 y, u64 z) {
  return level.address + z * level.slice + y * level.pitch + x;
}

/// Where caches see that byte. An array lies in tiles of 64 bytes and 8 rows, so that neighbours in both
/// directions share sectors: 16 bytes of two rows are a sector, as in the block-linear layout of NVIDIA's
/// Tegra manuals. The bytes themselves lie row by row; nothing but the counters can tell.
inline u64 texel_place(const TextureObject& object, const TexelLevel& level, u64 x, u64 y, u64 z) {
  if (!object.tiled || level.height == 1) return texel_address(level, x, y, z);
  const u64 tile = y / kTileRows * kTileRows * level.pitch + x / kTileBytes * kTileBytes * kTileRows;
  const u64 inside = x % 64 / 32 * 256 + y % 8 / 2 * 64 + x % 32 / 16 * 32 + y % 2 * 16 + x % 16;
  return level.address + z * level.slice + tile + inside;
}

/// Checks every texel against the allocation that it lies in, shows them to the observer, counts them as one
/// request. A violation traps and does not return.
void begin_texels(Warp& w, const Instruction& in, const TexelRequest& request);

/// For texel_access.cpp: the counters of a request that has been found good.
void count_texels(Warp& w, const Instruction& in, const TexelRequest& request);

}  // namespace roofline::sim
