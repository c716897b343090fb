// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/program/traits.h"

namespace roofline::sim {

/// The source of a lane that keeps its own value.
inline constexpr u32 kOutside = ~u32{0};

/// Which lane of its warp a lane takes the value of; kOutside when that is outside of its segment. As the
/// manual defines it: c holds the clamp in bits 0..4 and the segment mask in bits 8..12.
constexpr u32 shuffle_source(Shuffle kind, u32 lane, u32 b, u32 c) {
  const u32 offset = b & 31, segment = (c >> 8) & 31, clamp = c & 31;
  const u32 most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  u32 source = lane;
  switch (kind) {
    case Shuffle::kUp:
      source = lane - offset;
      return static_cast<s32>(source) >= static_cast<s32>(most) ? source & 31 : kOutside;
    case Shuffle::kDown:
      source = lane + offset;
      break;
    case Shuffle::kButterfly:
      source = lane ^ offset;
      break;
    case Shuffle::kIndex:
      source = least | (offset & ~segment);
      break;
    case Shuffle::kNone:
      return kOutside;
  }
  return source <= most ? source & 31 : kOutside;
}

}  // namespace roofline::sim
