// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "simulator/program/texture.h"

/// What a texture fetch reads and computes, for one lane ("Texture Fetching" in the CUDA C++ Programming
/// Guide): which texels, with which weights, and what their bytes mean.
namespace roofline::sim::isa {

/// The texels of one dimension: one, or two neighbours.
struct Neighbours {
  u32 count = 1;
  std::array<u32, 2> index{};
  std::array<bool, 2> outside{};  ///< the border's colour stands there
  std::array<f64, 2> weight{1, 0};
};

/// `x` in texels. Fractions have eight bits, and one is exact, as in hardware's 1.8 format.
Neighbours neighbours(f64 x, u32 size, AddressMode mode, bool linear);

/// A texel of a fetch. (Without initial values: a warp makes hundreds.)
struct Tap {
  u32 level, x, y, z;
  bool outside;
  f64 weight;
};
struct Footprint {
  u32 count = 0;
  std::array<Tap, 16> taps;
};

/// Where a fetch reads; `slice` is the index of a layer, clamped here.
struct Coordinates {
  std::array<f64, 3> at{};
  s64 slice = 0;
};

/// The texels of a fetch from the level `lod`, a number between levels. `by_number`: coordinates are numbers
/// of texels, and nothing is filtered.
Footprint footprint(const TextureObject& object, const Coordinates& at, f64 lod, bool by_number);
/// The four neighbours in a plane that tld4 takes a component of, in the order of its result.
Footprint gathered(const TextureObject& object, const Coordinates& at);

/// The level that derivatives of the coordinates along x and y of the screen mean.
f64 level_of(const TextureObject& object, const std::array<f64, 3>& dx, const std::array<f64, 3>& dy);

/// How many coordinates choose a texel within a slice.
u32 dimensions(TextureObject::Shape shape);

/// Whether its texels are read as floats.
bool gives_floats(const TextureObject& object);
std::array<u32, 4> integers_of(const TexelFormat& format, const u8* bytes);
std::array<f64, 4> floats_of(const TextureObject& object, const u8* bytes);
std::array<u32, 4> border_integers(const TextureObject& object);

}  // namespace roofline::sim::isa
