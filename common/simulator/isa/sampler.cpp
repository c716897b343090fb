// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "simulator/isa/half_math.h"

namespace roofline::sim::isa {

namespace {

using Shape = TextureObject::Shape;
using Kind = TexelFormat::Kind;

/// The index that stands for one outside; `outside` when none does.
u32 inside(s64 i, u32 size, AddressMode mode, bool& outside) {
  const s64 n = size;
  outside = false;
  if (i >= 0 && i < n) return static_cast<u32>(i);
  switch (mode) {
    case AddressMode::kWrap:
      return static_cast<u32>((i % n + n) % n);
    case AddressMode::kMirror: {
      const s64 at = (i % (2 * n) + 2 * n) % (2 * n);
      return static_cast<u32>(at < n ? at : 2 * n - 1 - at);
    }
    case AddressMode::kClamp:
      return i < 0 ? 0 : size - 1;
    default:
      outside = true;
      return 0;
  }
}

/// A coordinate that an index can be made of, whatever the program computed.
f64 tame(f64 x) {
  constexpr f64 kMost = 0x1p52;
  return x != x ? 0 : std::clamp(x, -kMost, kMost);
}

/// Repeating modes need coordinates from 0 to 1.
AddressMode mode_that_holds(AddressMode mode, bool normalised) {
  const bool repeats = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
  return repeats && !normalised ? AddressMode::kClamp : mode;
}

/// What of an object's filter and coordinates holds for a fetch.
struct Reading {
  bool linear, normalised;
};

struct Plane {
  std::array<Neighbours, 3> axes;
  u32 slice = 0;  ///< where the third axis is none
};

struct Face {
  u32 face = 0;
  f64 s = 0, t = 0;  ///< 0 to 1
};

/// The face of a cube that a direction points at; of equal components the last one counts.
Face face_of(const std::array<f64, 3>& at) {
  const f64 x = tame(at[0]), y = tame(at[1]), z = tame(at[2]);
  const f64 ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  Face face;
  f64 major = az, s = z < 0 ? -x : x, t = -y;
  face.face = z < 0 ? 5 : 4;
  if (az < ax || az < ay) {
    if (ay >= ax) {
      face.face = y < 0 ? 3 : 2;
      major = ay;
      s = x;
      t = y < 0 ? -z : z;
    } else {
      face.face = x < 0 ? 1 : 0;
      major = ax;
      s = x < 0 ? z : -z;
      t = -y;
    }
  }
  if (major == 0) return face;
  face.s = (s / major + 1) / 2;
  face.t = (t / major + 1) / 2;
  return face;
}

Plane plane_of(const TextureObject& object, const TexelLevel& level, const Coordinates& c, Reading reading) {
  Plane plane;
  const u32 n = dimensions(object.shape);
  const std::array<u32, 3> sizes{level.width, level.height, level.depth};
  const bool cube = object.shape >= Shape::kCube;
  std::array<f64, 3> at = c.at;
  if (cube) {
    const Face face = face_of(c.at);
    at = {face.s, face.t, 0};
    plane.slice = face.face;
  }
  const u32 a_layer = cube ? 6 : 1;
  if (object.layered() && object.shape != Shape::kCube)
    plane.slice += a_layer * static_cast<u32>(std::clamp<s64>(c.slice, 0, level.depth / a_layer - 1));
  for (u32 d = 0; d < n; ++d) {
    const f64 scale = reading.normalised || cube ? sizes[d] : 1;
    const AddressMode mode =
        cube ? AddressMode::kClamp : mode_that_holds(object.modes[d], reading.normalised);
    plane.axes[d] = neighbours(at[d] * scale, sizes[d], mode, reading.linear);
  }
  if (n < 3) plane.axes[2].index[0] = plane.slice;
  return plane;
}

void add_taps(const Plane& p, u32 level, f64 weight, Footprint& result) {
  for (u32 k = 0; k < p.axes[2].count; ++k)
    for (u32 j = 0; j < p.axes[1].count; ++j)
      for (u32 i = 0; i < p.axes[0].count; ++i)
        result.taps[result.count++] = {
            level,
            p.axes[0].index[i],
            p.axes[1].index[j],
            p.axes[2].index[k],
            p.axes[0].outside[i] || p.axes[1].outside[j] || p.axes[2].outside[k],
            weight * p.axes[0].weight[i] * p.axes[1].weight[j] * p.axes[2].weight[k]};
}

f64 eighth_bit(f64 fraction) { return std::floor(fraction * 256 + 0.5) / 256; }

template <class T>
T read(const u8* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// sRGB to linear, IEC 61966-2-1.
f64 linear_of(f64 c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

f64 channel(const TextureObject& object, u32 c, const u8* at) {
  const TexelFormat& f = object.format;
  if (f.kind == Kind::kFloat) return f.bits == 16 ? f64{widen(Half{read<u16>(at)})} : f64{read<f32>(at)};
  const bool narrow = f.bits == 8;
  if (f.kind == Kind::kSigned) {
    const f64 value = narrow ? read<s8>(at) / 127.0 : read<s16>(at) / 32767.0;
    return std::max(value, -1.0);
  }
  const f64 value = narrow ? read<u8>(at) / 255.0 : read<u16>(at) / 65535.0;
  return object.srgb && narrow && c < 3 ? linear_of(value) : value;
}

}  // namespace

u32 dimensions(Shape shape) {
  switch (shape) {
    case Shape::kBuffer:
    case Shape::k1D:
    case Shape::k1DLayered:
      return 1;
    case Shape::k3D:
      return 3;
    default:
      return 2;
  }
}

Neighbours neighbours(f64 x, u32 size, AddressMode mode, bool linear) {
  Neighbours result;
  const f64 at = tame(x) - (linear ? 0.5 : 0.0);
  const f64 floor = std::floor(at);
  const auto first = static_cast<s64>(floor);
  result.index[0] = inside(first, size, mode, result.outside[0]);
  if (!linear) return result;
  result.count = 2;
  result.index[1] = inside(first + 1, size, mode, result.outside[1]);
  result.weight[1] = eighth_bit(at - floor);
  result.weight[0] = 1 - result.weight[1];
  return result;
}

Footprint footprint(const TextureObject& object, const Coordinates& at, f64 lod, bool by_number) {
  Footprint result;
  const Reading reading{object.linear && !by_number, object.normalised && !by_number};
  if (object.levels.size() == 1) {
    add_taps(plane_of(object, object.levels[0], at, reading), 0, 1, result);
    return result;
  }
  const f64 last = static_cast<f64>(object.levels.size() - 1);
  // Not std::clamp: the program's limits may be in any order.
  f64 wanted = std::max(tame(lod) + tame(object.level_bias), tame(object.lowest_level));
  wanted = std::clamp(std::min(wanted, tame(object.highest_level)), 0.0, last);
  const f64 below = std::floor(wanted);
  const f64 fraction = object.linear_levels ? eighth_bit(wanted - below) : 0;
  const auto level = static_cast<u32>(object.linear_levels ? below : std::floor(wanted + 0.5));
  add_taps(plane_of(object, object.levels[level], at, reading), level, 1 - fraction, result);
  if (fraction > 0 && level < object.levels.size() - 1)
    add_taps(plane_of(object, object.levels[level + 1], at, reading), level + 1, fraction, result);
  return result;
}

Footprint gathered(const TextureObject& object, const Coordinates& at) {
  Footprint all, result;
  add_taps(plane_of(object, object.levels[0], at, {true, object.normalised}), 0, 1, all);
  for (const u32 tap : {2u, 3u, 1u, 0u}) result.taps[result.count++] = all.taps[tap];
  return result;
}

f64 level_of(const TextureObject& object, const std::array<f64, 3>& dx, const std::array<f64, 3>& dy) {
  const TexelLevel& base = object.levels[0];
  const std::array<u32, 3> sizes{base.width, base.height, base.depth};
  f64 x = 0, y = 0;
  for (u32 d = 0; d < dimensions(object.shape); ++d) {
    const f64 scale = object.normalised ? sizes[d] : 1;
    x += dx[d] * scale * dx[d] * scale;
    y += dy[d] * scale * dy[d] * scale;
  }
  const f64 longest = std::max(x, y);
  return longest > 0 ? std::log2(longest) / 2 : -0x1p10;
}

bool gives_floats(const TextureObject& object) {
  return object.format.kind == Kind::kFloat || object.unit_values;
}

std::array<u32, 4> integers_of(const TexelFormat& f, const u8* bytes) {
  std::array<u32, 4> result{0, 0, 0, 1};
  for (u32 c = 0; c < f.channels; ++c) {
    const u8* at = bytes + c * f.bits / 8u;
    if (f.bits == 32)
      result[c] = read<u32>(at);
    else if (f.kind == Kind::kSigned)
      result[c] = static_cast<u32>(f.bits == 8 ? s32{read<s8>(at)} : s32{read<s16>(at)});
    else
      result[c] = f.bits == 8 ? u32{read<u8>(at)} : u32{read<u16>(at)};
  }
  return result;
}

std::array<f64, 4> floats_of(const TextureObject& object, const u8* bytes) {
  std::array<f64, 4> result{0, 0, 0, 1};
  for (u32 c = 0; c < object.format.channels; ++c)
    result[c] = channel(object, c, bytes + c * object.format.bits / 8u);
  return result;
}

std::array<u32, 4> border_integers(const TextureObject& object) {
  std::array<u32, 4> result{};
  const bool is_signed = object.format.kind == Kind::kSigned;
  const f64 low = is_signed ? std::numeric_limits<s32>::min() : 0;
  const f64 high = is_signed ? std::numeric_limits<s32>::max() : std::numeric_limits<u32>::max();
  for (u32 c = 0; c < 4; ++c) {
    const f64 value = object.border[c];
    const f64 held = value != value ? 0 : std::clamp(value, low, high);
    result[c] = static_cast<u32>(static_cast<s64>(held));
  }
  return result;
}

}  // namespace roofline::sim::isa
