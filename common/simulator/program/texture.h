// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "simulator/types.h"

namespace roofline::sim {

/// How the bytes of one texel are read.
struct TexelFormat {
  enum class Kind : u8 { kUnsigned, kSigned, kFloat } kind = Kind::kUnsigned;
  u8 bits = 32;  ///< of a channel: 8, 16, 32; floats have 16 or 32
  u8 channels = 1;
  u32 bytes() const { return bits / 8u * channels; }
  void fields(auto& io) { io(kind, bits, channels); }
};

/// What an index outside of a texture means.
enum class AddressMode : u8 { kWrap, kClamp, kMirror, kBorder };

/// One level of a texture: rows of texels, `pitch` bytes apart, and slices of rows: the depth of a volume,
/// the layers of an array, the faces of a cube.
struct TexelLevel {
  u64 address = 0;
  u32 width = 1, height = 1, depth = 1;
  u64 pitch = 0, slice = 0;
  void fields(auto& io) { io(address, width, height, depth, pitch, slice); }
};

/// A CUDA array counts as if it lay in tiles of this many bytes and rows (texel_place).
inline constexpr u64 kTileBytes = 64, kTileRows = 8;

/// What a texture or surface object says about the memory behind it.
struct TextureObject {
  enum class Shape : u8 { kBuffer, k1D, k2D, k3D, k1DLayered, k2DLayered, kCube, kCubeLayered };
  Shape shape = Shape::kBuffer;
  TexelFormat format;
  bool tiled = false;          ///< a CUDA array; else memory that lies row by row
  bool surface = false;        ///< not a texture
  bool normalised = false;     ///< coordinates go from 0 to 1
  bool unit_values = false;    ///< integers are read as floats from 0 or -1 to 1
  bool srgb = false;           ///< 8-bit channels but the fourth are converted to linear values
  bool linear = false;         ///< values between neighbours, not the nearest
  bool linear_levels = false;  ///< the same between levels
  bool anisotropic = false;
  std::array<AddressMode, 3> modes{AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  std::array<f32, 4> border{};
  f32 level_bias = 0, lowest_level = 0, highest_level = 0;
  std::vector<TexelLevel> levels;
  void fields(auto& io) {
    io(shape, format, tiled, surface, normalised, unit_values, srgb, linear, linear_levels, anisotropic);
    io(modes[0], modes[1], modes[2], border[0], border[1], border[2], border[3]);
    io(level_bias, lowest_level, highest_level, levels);
  }

  /// Whether slices are chosen by an index of their own.
  bool layered() const { return shape >= Shape::k1DLayered; }
};

/// Whether a texture's numbers fit each other; what it refers to is checked when it is read.
inline bool is_sound(const TextureObject& t) {
  const TexelFormat& f = t.format;
  const bool format = f.kind <= TexelFormat::Kind::kFloat && (f.bits == 8 || f.bits == 16 || f.bits == 32) &&
                      (f.channels == 1 || f.channels == 2 || f.channels == 4) &&
                      !(f.kind == TexelFormat::Kind::kFloat && f.bits == 8);
  if (!format || t.shape > TextureObject::Shape::kCubeLayered || t.levels.empty() || t.levels.size() > 32)
    return false;
  for (const AddressMode mode : t.modes)
    if (mode > AddressMode::kBorder) return false;
  const bool cube = t.shape >= TextureObject::Shape::kCube;
  for (const TexelLevel& l : t.levels) {
    constexpr u32 kMostTexels = 1u << 28, kMostSlices = 1u << 16;
    if (l.width == 0 || l.height == 0 || l.depth == 0 || l.width > kMostTexels ||
        l.height > kMostSlices * 2 || l.depth > kMostSlices)
      return false;
    if (l.pitch > u64{1} << 40 || l.slice > u64{1} << 58 || l.pitch < u64{l.width} * f.bytes()) return false;
    if (l.depth > 1 && l.slice < l.pitch * l.height) return false;
    if (l.address % f.bytes() != 0 || l.pitch % f.bytes() != 0 || l.slice % f.bytes() != 0) return false;
    if (t.tiled && (l.address % 128 != 0 || (l.height > 1 && l.pitch % kTileBytes != 0))) return false;
    if (cube && (l.depth % 6 != 0 || l.width != l.height)) return false;
  }
  return true;
}

}  // namespace roofline::sim
