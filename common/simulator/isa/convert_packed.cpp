// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/chapters.h"
#include "simulator/isa/convert_math.h"
#include "simulator/isa/shapes.h"

/// cvt to and from packed halves, tf32 and the 8-bit floats, and cvt.pack.
namespace roofline::sim::isa {

namespace {

/// .relu: negative becomes +0; NaN stays.
inline f32 rectified(f32 a) { return a > 0.0f || a != a ? a : 0.0f; }

template <class H, Rounding kRounding, bool kRelu>
H to_half(f32 a) {
  return narrow<H>(kRelu ? rectified(a) : a, kRounding);
}

template <class Pair, class H, Rounding kRounding, bool kRelu>
constexpr auto pack = [](f32 high, f32 low) {
  return Pair{{to_half<H, kRounding, kRelu>(low), to_half<H, kRounding, kRelu>(high)}};
};
template <class H, Rounding kRounding>
constexpr auto single_relu = [](f32 a) { return to_half<H, kRounding, true>(a); };

/// tf32 keeps 10 bits of the significand; the rest of the register is zero.
template <Rounding kRounding, bool kRelu>
constexpr auto to_tf32 = [](f32 value) {
  const f32 a = kRelu ? rectified(value) : value;
  const u32 bits = to_bits(a);
  u32 rounded = bits;
  if (kRounding == Rounding::kAway) rounded += 0x1000u;
  if (kRounding == Rounding::kNearest) rounded += 0xfffu + (bits >> 13 & 1u);
  const bool finite = magnitude(a) < std::bit_cast<f32>(0x7f80'0000u);
  return a != a ? to_bits(kNaN32) : finite ? rounded & ~0x1fffu : bits;
};

/// An 8-bit float: e4m3 has no infinity, e5m2 is the upper byte of an f16.
struct E4M3 {
  static constexpr int kMantissa = 3, kBias = 7;
  static constexpr u32 kLargest = 0x7e;
  static u16 to_half_bits(u32 byte) {
    const u32 size = byte & 0x7fu, sign = (byte & 0x80u) << 8;
    // Seven bits moved to an f16's place are off by the difference of the biases, subnormals included.
    const f32 value = widen(Half{static_cast<u16>(size << 7)}) * 256.0f;
    return static_cast<u16>((size == 0x7fu ? u32{kNaN16} : u32{nearest_half_bits(value)}) | sign);
  }
};
struct E5M2 {
  static constexpr int kMantissa = 2, kBias = 15;
  static constexpr u32 kLargest = 0x7b;
  static u16 to_half_bits(u32 byte) { return (byte & 0x7fu) > 0x7cu ? kNaN16 : static_cast<u16>(byte << 8); }
};

/// To nearest even, held at the largest number (.satfinite); NaN is 0x7f.
template <class E>
u32 to_byte_float(f32 a) {
  constexpr u32 kShift = static_cast<u32>(23 - E::kMantissa), kRebias = static_cast<u32>(127 - E::kBias)
                                                                        << 23;
  const u32 size = to_bits(a) & 0x7fff'ffffu, sign = to_bits(a) >> 24 & 0x80u;
  if (size > 0x7f80'0000u) return 0x7f;
  u32 result;
  if (size < kRebias + 0x0080'0000u) {
    // Adding a number whose last place is the subnormal's unit makes the addition round.
    const f32 unit = std::bit_cast<f32>(kRebias + 0x0080'0000u + (kShift << 23));
    result = to_bits(std::bit_cast<f32>(size) + unit) - to_bits(unit);
  } else {
    result = (size - kRebias + (1u << (kShift - 1)) - 1u + (size >> kShift & 1u)) >> kShift;
  }
  return (result > E::kLargest ? E::kLargest : result) | sign;
}

template <class E, bool kRelu>
constexpr auto pack_bytes = [](f32 high, f32 low) {
  const u32 h = to_byte_float<E>(kRelu ? rectified(high) : high),
            l = to_byte_float<E>(kRelu ? rectified(low) : low);
  return static_cast<u16>(h << 8 | l);
};
template <class E, bool kRelu>
constexpr auto pack_halves =
    [](HalfPair a) { return pack_bytes<E, kRelu>(widen(a.element[1]), widen(a.element[0])); };
template <class E, bool kRelu>
constexpr auto unpack_bytes = [](u16 a) {
  const auto element = [](u32 byte) {
    const Half half{E::to_half_bits(byte)};
    return kRelu ? narrow<Half>(rectified(widen(half))) : half;
  };
  return HalfPair{{element(a & 0xffu), element(a >> 8u)}};
};

/// Two saturated values side by side, above what c's low bits hold.
template <class T>
constexpr auto pack_integers = [](s32 a, s32 b) {
  return u32{static_cast<u16>(clamp_integer<T>(a))} << 16 | u32{static_cast<u16>(clamp_integer<T>(b))};
};
template <class T>
constexpr auto pack_small_integers = [](s32 a, s32 b, u32 c) {
  return c << 16 | u32{static_cast<u8>(clamp_integer<T>(a))} << 8 | u32{static_cast<u8>(clamp_integer<T>(b))};
};

// F2FP is an instruction of the ALU; F2F, I2F and F2I, the ones without a P, go through the special
// functions. Measured on Blackwell: what reads two registers, or merges with one, passes at half the rate of
// what reads one (docs/simulator-model.md).
Cost two_reads_cost(const Match&) { return {.pipe = Pipe::kAlu, .slots = 2}; }
constexpr CostFunction kOneReadCost = fixed_cost<Pipe::kAlu>;
/// ptxas builds rounding away from zero of a comparison, a sum and a mask.
constexpr CostFunction kThreeOperationsCost = fixed_cost<Pipe::kAlu, 3>;
constexpr CostFunction kIntegerCost = fixed_cost<Pipe::kSfu>;
constexpr auto kNear = Rounding::kNearest;
constexpr auto kZero = Rounding::kZero;

std::vector<Row> half_pair_rows() {
  using ToHalves = Signature<F16X2, F32, F32>;
  using ToBFloats = Signature<BF16X2, F32, F32>;
  return {
      exact<ToHalves>("cvt.rn.f16x2.f32 d, a, b", pack<HalfPair, Half, kNear, false>, two_reads_cost),
      exact<ToHalves>("cvt.rz.f16x2.f32 d, a, b", pack<HalfPair, Half, kZero, false>, two_reads_cost),
      exact<ToHalves>("cvt.rn.relu.f16x2.f32 d, a, b", pack<HalfPair, Half, kNear, true>, two_reads_cost),
      exact<ToHalves>("cvt.rz.relu.f16x2.f32 d, a, b", pack<HalfPair, Half, kZero, true>, two_reads_cost),
      exact<ToBFloats>("cvt.rn.bf16x2.f32 d, a, b", pack<BFloatPair, BFloat, kNear, false>, two_reads_cost),
      exact<ToBFloats>("cvt.rz.bf16x2.f32 d, a, b", pack<BFloatPair, BFloat, kZero, false>, two_reads_cost),
      exact<ToBFloats>("cvt.rn.relu.bf16x2.f32 d, a, b", pack<BFloatPair, BFloat, kNear, true>,
                       two_reads_cost),
      exact<ToBFloats>("cvt.rz.relu.bf16x2.f32 d, a, b", pack<BFloatPair, BFloat, kZero, true>,
                       two_reads_cost),
      exact<Signature<F16, F32>>("cvt.rn.relu.f16.f32 d, a", single_relu<Half, kNear>, two_reads_cost),
      exact<Signature<F16, F32>>("cvt.rz.relu.f16.f32 d, a", single_relu<Half, kZero>, two_reads_cost),
      exact<Signature<BF16, F32>>("cvt.rn.relu.bf16.f32 d, a", single_relu<BFloat, kNear>, two_reads_cost),
      exact<Signature<BF16, F32>>("cvt.rz.relu.bf16.f32 d, a", single_relu<BFloat, kZero>, two_reads_cost),
  };
}

std::vector<Row> tf32_rows() {
  using Shape = Signature<B32, F32>;
  return {
      exact<Shape>("cvt.rna.tf32.f32 d, a", to_tf32<Rounding::kAway, false>, kThreeOperationsCost),
      exact<Shape>("cvt.rn.tf32.f32 d, a", to_tf32<kNear, false>, kOneReadCost),
      exact<Shape>("cvt.rz.tf32.f32 d, a", to_tf32<kZero, false>, kOneReadCost),
      exact<Shape>("cvt.rn.relu.tf32.f32 d, a", to_tf32<kNear, true>, kOneReadCost),
      exact<Shape>("cvt.rz.relu.tf32.f32 d, a", to_tf32<kZero, true>, kOneReadCost),
  };
}

std::vector<Row> byte_float_rows() {
  using FromSingles = Signature<B16, F32, F32>;
  using FromHalves = Signature<B16, F16X2>;
  using ToHalves = Signature<F16X2, B16>;
  return {
      exact<FromSingles>("cvt.rn.satfinite.e4m3x2.f32 d, a, b", pack_bytes<E4M3, false>, two_reads_cost),
      exact<FromSingles>("cvt.rn.satfinite.relu.e4m3x2.f32 d, a, b", pack_bytes<E4M3, true>, two_reads_cost),
      exact<FromSingles>("cvt.rn.satfinite.e5m2x2.f32 d, a, b", pack_bytes<E5M2, false>, two_reads_cost),
      exact<FromSingles>("cvt.rn.satfinite.relu.e5m2x2.f32 d, a, b", pack_bytes<E5M2, true>, two_reads_cost),
      exact<FromHalves>("cvt.rn.satfinite.e4m3x2.f16x2 d, a", pack_halves<E4M3, false>, two_reads_cost),
      exact<FromHalves>("cvt.rn.satfinite.relu.e4m3x2.f16x2 d, a", pack_halves<E4M3, true>, two_reads_cost),
      exact<FromHalves>("cvt.rn.satfinite.e5m2x2.f16x2 d, a", pack_halves<E5M2, false>, two_reads_cost),
      exact<FromHalves>("cvt.rn.satfinite.relu.e5m2x2.f16x2 d, a", pack_halves<E5M2, true>, two_reads_cost),
      exact<ToHalves>("cvt.rn.f16x2.e4m3x2 d, a", unpack_bytes<E4M3, false>, kOneReadCost),
      exact<ToHalves>("cvt.rn.relu.f16x2.e4m3x2 d, a", unpack_bytes<E4M3, true>, kOneReadCost),
      exact<ToHalves>("cvt.rn.f16x2.e5m2x2 d, a", unpack_bytes<E5M2, false>, kOneReadCost),
      exact<ToHalves>("cvt.rn.relu.f16x2.e5m2x2 d, a", unpack_bytes<E5M2, true>, kOneReadCost),
  };
}

std::vector<Row> pack_rows() {
  using Wide = Signature<B32, S32, S32>;
  using Narrow = Signature<B32, S32, S32, B32>;
  return {
      exact<Wide>("cvt.pack.sat.u16.s32 d, a, b", pack_integers<u16>, kIntegerCost),
      exact<Wide>("cvt.pack.sat.s16.s32 d, a, b", pack_integers<s16>, kIntegerCost),
      exact<Narrow>("cvt.pack.sat.u8.s32.b32 d, a, b, c", pack_small_integers<u8>, kIntegerCost),
      exact<Narrow>("cvt.pack.sat.s8.s32.b32 d, a, b, c", pack_small_integers<s8>, kIntegerCost),
  };
}

}  // namespace

std::vector<Row> convert_packed_rows() {
  std::vector<Row> rows = joined({half_pair_rows, tf32_rows, byte_float_rows, pack_rows});
  for (Row& row : rows) row.traits = kConverts;
  return rows;
}

}  // namespace roofline::sim::isa
