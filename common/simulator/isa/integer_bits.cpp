// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "simulator/isa/chapters.h"
#include "simulator/isa/integer_math.h"
#include "simulator/isa/shapes.h"

/// "Integer Arithmetic Instructions", the part that counts, finds and moves bits, and the dot products.
namespace roofline::sim::isa {

namespace {

constexpr u32 kNotFound = ~0u;

/// Position of the highest bit that differs from the sign.
template <class T>
constexpr u32 highest_bit(T a) {
  using U = std::make_unsigned_t<T>;
  const U bits = a < 0 ? static_cast<U>(~a) : static_cast<U>(a);
  return bits == 0 ? kNotFound : static_cast<u32>(bits_of<T>() - 1 - std::countl_zero(bits));
}

constexpr u32 nth_bit_from(u32 mask, u32 base, s32 offset) {
  base &= 31u;
  if (offset == 0) return (mask >> base & 1u) != 0 ? base : kNotFound;
  const int step = offset > 0 ? 1 : -1;
  s64 left = offset > 0 ? s64{offset} : -s64{offset};
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
    if ((mask >> i & 1u) != 0 && --left == 0) return static_cast<u32>(i);
  return kNotFound;
}

template <class T>
constexpr T reversed(T a) {
  constexpr auto swap = [](T x, int by, T mask) {
    return static_cast<T>((x >> by & mask) | (x & mask) << by);
  };
  a = swap(a, 1, static_cast<T>(0x5555'5555'5555'5555u));
  a = swap(a, 2, static_cast<T>(0x3333'3333'3333'3333u));
  a = swap(a, 4, static_cast<T>(0x0f0f'0f0f'0f0f'0f0fu));
  if constexpr (sizeof(T) == 4)
    return __builtin_bswap32(a);
  else
    return __builtin_bswap64(a);
}

/// The low `length` bits set; all of them from the width on.
template <class T>
constexpr T low_bits(u32 length) {
  return length >= static_cast<u32>(bits_of<T>()) ? static_cast<T>(~T{0})
                                                  : static_cast<T>((T{1} << length) - 1);
}

template <class T>
constexpr T extract(T a, u32 position, u32 length) {
  using U = std::make_unsigned_t<T>;
  constexpr u32 msb = static_cast<u32>(bits_of<T>()) - 1;
  position &= 0xffu;
  length &= 0xffu;
  const U moved = position > msb ? U{0} : static_cast<U>(static_cast<U>(a) >> position);
  const U kept = static_cast<U>(moved & low_bits<U>(length));
  if constexpr (std::is_signed_v<T>) {
    const u32 top = std::min(position + length - (length == 0 ? 0u : 1u), msb);
    const bool sign = length != 0 && (static_cast<U>(a) >> top & 1u) != 0;
    // Beyond the field, and beyond the top of a, the sign is repeated.
    const u32 valid = position > msb ? 0u : std::min(length, msb + 1 - position);
    return static_cast<T>(sign ? static_cast<U>(kept | static_cast<U>(~low_bits<U>(valid))) : kept);
  } else {
    return kept;
  }
}

template <class T>
constexpr T insert(T a, T b, u32 position, u32 length) {
  position &= 0xffu;
  length &= 0xffu;
  if (position >= static_cast<u32>(bits_of<T>())) return b;
  const T field = static_cast<T>(low_bits<T>(length) << position);
  return static_cast<T>((b & ~field) | (static_cast<T>(a << position) & field));
}

template <bool kClamp, class T>
constexpr T extend(T a, u32 width) {
  const u32 length = width & 31u, bits = static_cast<u32>(a);
  if (kClamp && width >= 32) return a;
  const u32 high = ~0u << length;
  const bool sign = std::is_signed_v<T> && length != 0 && (bits >> (length - 1u) & 1u) != 0;
  return static_cast<T>((bits & ~high) | (sign ? high : 0u));
}

template <bool kClamp>
constexpr u32 bit_mask(u32 position, u32 length) {
  const u32 from = position & 31u, sum = from + (length & 31u);
  if (kClamp && position >= 32) return 0;
  const u32 above = sum >= 32 || (kClamp && length >= 32) ? 0u : ~0u << sum;
  return ~0u << from & ~above;
}

/// Byte i of a word, extended as A (u32 or s32) says.
template <class A>
constexpr u32 byte_of(A word, int i) {
  const u32 byte = static_cast<u32>(word) >> (8 * i) & 0xffu;
  return std::is_signed_v<A> ? (byte ^ 0x80u) - 0x80u : byte;
}
template <class A>
constexpr u32 half_of(A word, int i) {
  const u32 half = static_cast<u32>(word) >> (16 * i) & 0xffffu;
  return std::is_signed_v<A> ? (half ^ 0x8000u) - 0x8000u : half;
}

constexpr auto dot4 = [](auto a, auto b, auto c) {
  u32 sum = static_cast<u32>(c);
  for (int i = 0; i < 4; ++i) sum += byte_of(a, i) * byte_of(b, i);
  return sum;
};

template <int kFirst>
constexpr auto dot2(auto a, auto b, auto c) {
  u32 sum = static_cast<u32>(c);
  for (int i = 0; i < 2; ++i) sum += half_of(a, i) * byte_of(b, kFirst + i);
  return sum;
}
constexpr auto dot2_low = [](auto a, auto b, auto c) { return dot2<0>(a, b, c); };
constexpr auto dot2_high = [](auto a, auto b, auto c) { return dot2<2>(a, b, c); };

/// Counting runs at a quarter of the rate of an add.
Cost slow_cost(const Match& match) { return {Pipe::kSfu, static_cast<u8>(match.type.bits == 64 ? 3 : 1)}; }
Cost field_cost(const Match& match) { return {Pipe::kAlu, static_cast<u8>(match.type.bits == 64 ? 6 : 2)}; }
constexpr CostFunction kDotCost = fixed_cost<Pipe::kFma, 1>;

std::vector<Row> find_rows() {
  return {
      count<WIDE_BITS>(
          "popc.type d, a", [](auto a) { return static_cast<u32>(std::popcount(a)); }, slow_cost),
      count<WIDE_BITS>(
          "clz.type d, a", [](auto a) { return static_cast<u32>(std::countl_zero(a)); }, slow_cost),
      count<WIDE_WORDS>(
          "bfind.type d, a", [](auto a) { return highest_bit(a); }, slow_cost),
      count<WIDE_WORDS>(
          "bfind.shiftamt.type d, a",
          [](auto a) {
            const u32 at = highest_bit(a);
            return at == kNotFound ? kNotFound : static_cast<u32>(bits_of<decltype(a)>()) - 1u - at;
          },
          slow_cost),
      exact<Signature<B32, B32, B32, S32>>(
          "fns.b32 d, mask, base, offset",
          [](u32 mask, u32 base, s32 offset) { return nth_bit_from(mask, base, offset); },
          fixed_cost<Pipe::kAlu, 20>),
      unary<WIDE_BITS>(
          "brev.type d, a", [](auto a) { return reversed(a); }, slow_cost),
  };
}

std::vector<Row> field_rows() {
  return {
      lanewise<FieldShape, WIDE_WORDS>(
          "bfe.type d, a, b, c", [](auto a, u32 at, u32 length) { return extract(a, at, length); },
          field_cost),
      lanewise<InsertShape, WIDE_BITS>(
          "bfi.type f, a, b, c, d",
          [](auto a, auto b, u32 at, u32 length) { return insert(a, b, at, length); }, field_cost),
      shift<WORDS>("szext.wrap.type d, a, b", [](auto a, u32 b) { return extend<false>(a, b); }),
      shift<WORDS>("szext.clamp.type d, a, b", [](auto a, u32 b) { return extend<true>(a, b); }),
      binary<TypeList<B32>>("bmsk.wrap.b32 d, a, b", [](u32 a, u32 b) { return bit_mask<false>(a, b); }),
      binary<TypeList<B32>>("bmsk.clamp.b32 d, a, b", [](u32 a, u32 b) { return bit_mask<true>(a, b); }),
  };
}

std::vector<Row> dot_rows() {
  return {
      exact<Signature<U32, U32, U32, U32>>("dp4a.u32.u32 d, a, b, c", dot4, kDotCost),
      exact<Signature<S32, U32, S32, S32>>("dp4a.u32.s32 d, a, b, c", dot4, kDotCost),
      exact<Signature<S32, S32, U32, S32>>("dp4a.s32.u32 d, a, b, c", dot4, kDotCost),
      exact<Signature<S32, S32, S32, S32>>("dp4a.s32.s32 d, a, b, c", dot4, kDotCost),
      exact<Signature<U32, U32, U32, U32>>("dp2a.lo.u32.u32 d, a, b, c", dot2_low, kDotCost),
      exact<Signature<S32, U32, S32, S32>>("dp2a.lo.u32.s32 d, a, b, c", dot2_low, kDotCost),
      exact<Signature<S32, S32, U32, S32>>("dp2a.lo.s32.u32 d, a, b, c", dot2_low, kDotCost),
      exact<Signature<S32, S32, S32, S32>>("dp2a.lo.s32.s32 d, a, b, c", dot2_low, kDotCost),
      exact<Signature<U32, U32, U32, U32>>("dp2a.hi.u32.u32 d, a, b, c", dot2_high, kDotCost),
      exact<Signature<S32, U32, S32, S32>>("dp2a.hi.u32.s32 d, a, b, c", dot2_high, kDotCost),
      exact<Signature<S32, S32, U32, S32>>("dp2a.hi.s32.u32 d, a, b, c", dot2_high, kDotCost),
      exact<Signature<S32, S32, S32, S32>>("dp2a.hi.s32.s32 d, a, b, c", dot2_high, kDotCost),
  };
}

}  // namespace

std::vector<Row> integer_bit_rows() { return joined({find_rows, field_rows, dot_rows}); }

}  // namespace roofline::sim::isa
