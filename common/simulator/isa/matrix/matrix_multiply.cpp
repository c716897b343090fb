// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/matrix/matrix.h"

/// From an operation to the function that executes it for a warp.
namespace roofline::sim::isa {

namespace {

/// Operand registers of a multiplication; kBytes a lane.
template <Tiles kTiles, int kIn, int kOut, int kWidth = 4>
struct Counts {
  static constexpr int kD = kTiles.m * kTiles.n * kOut, kC = kTiles.m * kTiles.n * kIn;
  static constexpr int kA = kTiles.m * kTiles.k, kB = kTiles.n * kTiles.k;
  static constexpr u32 kBytes = kWidth;
};

void clamp_to_finite(f32& value) {
  constexpr f32 kLargest = std::numeric_limits<f32>::max();
  value = value != value ? 0 : std::min(std::max(value, -kLargest), kLargest);
}
void clamp_to_finite(Half& value) {
  if ((value.bits & 0x7fffu) > 0x7c00u)
    value.bits = 0;
  else if ((value.bits & 0x7fffu) == 0x7c00u)
    --value.bits;
}
template <class T, std::size_t kCount>
void clamp_all(u8* const* registers, int count) {
  for (int r = 0; r < count; ++r)
    for (std::size_t i = 0; i < kCount; ++i) clamp_to_finite(reinterpret_cast<T*>(registers[r])[i]);
}

template <class EA, class EB, class In, class Out, Tiles kTiles>
struct Floats : Counts<kTiles, In::kRegisters, Out::kRegisters> {
  static constexpr bool kPackedSources = EA::kPerRow > 4;
  static constexpr bool kPackedIn = In::kRegisters == 1, kPackedOut = Out::kRegisters == 1;
  static void multiply(const Fragments& f, const Instruction& in) {
    multiply_floats<EA, EB, In, Out, kTiles>(f);
    if ((in.flags & kMatrixSaturate) == 0) return;
    if constexpr (kPackedOut)
      clamp_all<Half, 2 * kWarpSize>(f.d, Floats::kD);
    else
      clamp_all<f32, kWarpSize>(f.d, Floats::kD);
  }
};

/// in.immediate: bit 0, A is unsigned; bit 1, B is.
template <int kPerRow, Tiles kTiles>
struct Integers : Counts<kTiles, 2, 2> {
  static constexpr bool kPackedSources = true, kPackedIn = false, kPackedOut = false;
  static void multiply(const Fragments& f, const Instruction& in) {
    const auto unpack = [](bool is_unsigned) -> UnpackIntegers {
      if constexpr (kPerRow == 16) return is_unsigned ? unpack_bytes<u8> : unpack_bytes<s8>;
      return is_unsigned ? unpack_nibbles<false> : unpack_nibbles<true>;
    };
    multiply_integers<kPerRow, kTiles>(f, unpack((in.immediate & 1) != 0), unpack((in.immediate & 2) != 0),
                                       (in.flags & kMatrixSaturate) != 0);
  }
};

template <bool kAnd, Tiles kTiles>
struct Bits : Counts<kTiles, 2, 2> {
  static constexpr bool kPackedSources = true, kPackedIn = false, kPackedOut = false;
  static void multiply(const Fragments& f, const Instruction&) { multiply_bits<kAnd, kTiles>(f); }
};

template <Tiles kTiles>
struct Doubles : Counts<kTiles, 2, 2, 8> {
  static constexpr bool kPackedSources = false, kPackedIn = false, kPackedOut = false;
  static void multiply(const Fragments& f, const Instruction&) { multiply_doubles<kTiles>(f); }
};

template <class K>
Fragments fragments_of(const Warp& w, const Instruction& in) {
  Fragments f;
  const Slot* slot = in.extra->slots.data();
  for (int i = 0; i < K::kD; ++i) f.d[i] = w.row<u8>(*slot++);
  for (int i = 0; i < K::kA; ++i) f.a[i] = w.row<u8>(*slot++);
  for (int i = 0; i < K::kB; ++i) f.b[i] = w.row<u8>(*slot++);
  for (int i = 0; i < K::kC; ++i) f.c[i] = w.row<u8>(*slot++);
  return f;
}

template <class K>
void run(Warp& w, const Instruction& in) {
  if (whole_warp(w, in)) K::multiply(fragments_of<K>(w, in), in);
}

/// Room for the operands of one instruction, in the layout of the hardware.
struct Staged {
  alignas(64) u8 bytes[Fragments::kMost][kWarpSize * 8];
  u8* rows[Fragments::kMost];
  Staged() {
    for (int i = 0; i < Fragments::kMost; ++i) rows[i] = bytes[i];
  }
};

template <class K>
void run_permuted(Warp& w, const Instruction& in) {
  if (!whole_warp(w, in)) return;
  const Fragments outside = fragments_of<K>(w, in);
  Staged a, b, c, d;
  restore_fragment(outside.a, a.rows, K::kA, K::kBytes, K::kPackedSources);
  restore_fragment(outside.b, b.rows, K::kB, K::kBytes, K::kPackedSources);
  restore_fragment(outside.c, c.rows, K::kC, K::kBytes, K::kPackedIn);
  Fragments inside{};
  for (int i = 0; i < Fragments::kMost; ++i) {
    inside.a[i] = a.rows[i], inside.b[i] = b.rows[i], inside.c[i] = c.rows[i];
    inside.d[i] = d.rows[i];
  }
  K::multiply(inside, in);
  permute_fragment(inside.d, outside.d, K::kD, K::kBytes, K::kPackedOut);
}

template <class K>
Multiplication multiplication(bool permuted) {
  return {permuted ? run_permuted<K> : run<K>, K::kD, K::kA, K::kB, K::kC};
}

/// Calls use.operator()<kTiles>() for the tiles that are asked for, among those that exist.
template <Tiles... kTiles, class Use>
Multiplication for_tiles(Tiles tiles, Use use) {
  Multiplication found;
  ((tiles == kTiles ? static_cast<void>(found = use.template operator()<kTiles>()) : void()), ...);
  return found;
}

constexpr Tiles kShort{2, 1, 1}, kLong{2, 1, 2}, kSquare{2, 2, 2}, kTall{4, 1, 2};

template <class E, class In, class Out>
Multiplication sixteen_bits(Tiles tiles, bool permuted) {
  return for_tiles<kShort, kLong, kSquare, kTall>(
      tiles, [&]<Tiles kTiles>() { return multiplication<Floats<E, E, In, Out, kTiles>>(permuted); });
}

Multiplication halves(const MatrixOperation& o, Tiles tiles) {
  if (o.half_in)
    return o.half_out ? sixteen_bits<HalfElement, HalfAccumulator, HalfAccumulator>(tiles, o.permuted)
                      : sixteen_bits<HalfElement, HalfAccumulator, SingleAccumulator>(tiles, o.permuted);
  return o.half_out ? sixteen_bits<HalfElement, SingleAccumulator, HalfAccumulator>(tiles, o.permuted)
                    : sixteen_bits<HalfElement, SingleAccumulator, SingleAccumulator>(tiles, o.permuted);
}

template <class EA, class EB>
Multiplication quarters_of(const MatrixOperation& o, Tiles tiles) {
  return for_tiles<kShort, kLong>(tiles, [&]<Tiles kTiles>() {
    return o.half_out ? multiplication<Floats<EA, EB, HalfAccumulator, HalfAccumulator, kTiles>>(false)
                      : multiplication<Floats<EA, EB, SingleAccumulator, SingleAccumulator, kTiles>>(false);
  });
}

Multiplication quarters(const MatrixOperation& o, Tiles tiles) {
  const bool a = o.a == Element::kE4M3, b = o.b == Element::kE4M3;
  if (a)
    return b ? quarters_of<E4M3Element, E4M3Element>(o, tiles)
             : quarters_of<E4M3Element, E5M2Element>(o, tiles);
  return b ? quarters_of<E5M2Element, E4M3Element>(o, tiles)
           : quarters_of<E5M2Element, E5M2Element>(o, tiles);
}

template <int kPerRow>
Multiplication integers(Tiles tiles, bool permuted) {
  return for_tiles<Tiles{1, 1, 1}, kShort, kLong, Tiles{2, 2, 1}, Tiles{4, 1, 1}>(
      tiles, [&]<Tiles kTiles>() { return multiplication<Integers<kPerRow, kTiles>>(permuted); });
}

Multiplication bits(const MatrixOperation& o, Tiles tiles) {
  return for_tiles<Tiles{1, 1, 1}, kShort, kLong>(tiles, [&]<Tiles kTiles>() {
    return o.bit_and ? multiplication<Bits<true, kTiles>>(o.permuted)
                     : multiplication<Bits<false, kTiles>>(o.permuted);
  });
}

Multiplication doubles(Tiles tiles, bool permuted) {
  return for_tiles<Tiles{1, 1, 1}, kShort, kLong, Tiles{2, 1, 4}>(
      tiles, [&]<Tiles kTiles>() { return multiplication<Doubles<kTiles>>(permuted); });
}

Tiles tiles_of(const MatrixOperation& o) {
  const u32 k_of_tile = o.a == Element::kF64 ? 4 : 128 / bits_of(o.a);
  Tiles tiles{static_cast<int>(o.shape.m / 8), static_cast<int>(o.shape.n / 8),
              static_cast<int>(o.shape.k / k_of_tile)};
  if (o.swapped) std::swap(tiles.m, tiles.n);
  return tiles;
}

}  // namespace

Multiplication choose_multiplication(const MatrixOperation& o) {
  const Tiles tiles = tiles_of(o);
  switch (o.a) {
    case Element::kF16:
      return halves(o, tiles);
    case Element::kBf16:
      return sixteen_bits<BFloatElement, SingleAccumulator, SingleAccumulator>(tiles, o.permuted);
    case Element::kTf32:
      return for_tiles<kShort, kLong, kSquare>(tiles, [&]<Tiles kTiles>() {
        return multiplication<Floats<Tf32Element, Tf32Element, SingleAccumulator, SingleAccumulator, kTiles>>(
            o.permuted);
      });
    case Element::kE4M3:
    case Element::kE5M2:
      return quarters(o, tiles);
    case Element::kS8:
    case Element::kU8:
      return integers<16>(tiles, o.permuted);
    case Element::kS4:
    case Element::kU4:
      return integers<32>(tiles, o.permuted);
    case Element::kB1:
      return bits(o, tiles);
    case Element::kF64:
      return doubles(tiles, o.permuted);
    default:
      return {};
  }
}

}  // namespace roofline::sim::isa
