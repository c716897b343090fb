// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/chapters.h"
#include "simulator/isa/integer_math.h"
#include "simulator/isa/shapes.h"

/// "Integer Arithmetic Instructions", the part that computes with numbers.
namespace roofline::sim::isa {

namespace {

constexpr auto add = [](auto a, auto b) { return wrap(a) + wrap(b); };
constexpr auto subtract = [](auto a, auto b) { return wrap(a) - wrap(b); };
constexpr auto smaller = [](auto a, auto b) { return b < a ? b : a; };
constexpr auto larger = [](auto a, auto b) { return a < b ? b : a; };
constexpr auto not_negative = [](auto a) { return a < 0 ? decltype(a){0} : a; };

/// There is no integer divider. 32 bits: to float and back (I2F, MUFU.RCP, F2I) and, of products and tests,
/// 16 steps one after the other, 20 with signs; 64 bits: a subroutine. Steps as dependent ones take them on
/// an H200.
Cost division_cost(const Match& match) {
  const bool is_signed = match.type.kind == ptx::Type::Kind::kSigned;
  if (match.type.bits == 64) return {Pipe::kAlu, 70, FlopType::kNone, 0, 70, 10};
  return {Pipe::kSfu, static_cast<u8>(is_signed ? 24 : 17), FlopType::kNone, 0,
          3,          static_cast<u8>(is_signed ? 20 : 16)};
}
/// IMAD.HI runs at half the rate of IMAD: 1.01 clocks and 9.0 in a chain on an H200.
Cost high_cost(const Match& match) {
  Cost cost = multiply_cost(match);
  if (match.type.bits == 32) cost.slots = 2;
  return cost;
}
Cost wide_cost(const Match&) { return {Pipe::kFma, 1}; }
Cost pair_cost(const Match&) { return {Pipe::kAlu, 2}; }

std::vector<Row> sum_rows() {
  return {
      binary<INTS>("add.type d, a, b", add).with({.zeros = Zeros::kFewer}),
      binary<TypeList<S32>>(
          "add.sat.s32 d, a, b", [](s32 a, s32 b) { return saturate_to_s32(s64{a} + b); }, pair_cost),
      binary<TypeList<U16X2, S16X2>>(
          "add.type d, a, b", [](u32 a, u32 b) { return by_halves<u16>(add, a, b); }, pair_cost),
      binary<INTS>("sub.type d, a, b", subtract).with({.zeros = Zeros::kFewer}),
      binary<TypeList<S32>>(
          "sub.sat.s32 d, a, b", [](s32 a, s32 b) { return saturate_to_s32(s64{a} - b); }, pair_cost),
  };
}

std::vector<Row> product_rows() {
  return {
      binary<INTS>(
          "mul.lo.type d, a, b", [](auto a, auto b) { return wrap(a) * wrap(b); }, multiply_cost)
          .with({.zeros = Zeros::kTogether}),
      binary<INTS>(
          "mul.hi.type d, a, b", [](auto a, auto b) { return high_product(a, b); }, high_cost),
      lanewise<WideShape, NARROW_INTS>(
          "mul.wide.type d, a, b", [](auto a, auto b) { return full_product(a, b); }, wide_cost)
          .with({.zeros = Zeros::kTogether}),
      ternary<INTS>(
          "mad.lo.type d, a, b, c", [](auto a, auto b, auto c) { return wrap(a) * wrap(b) + wrap(c); },
          fused_cost)
          .with({.zeros = Zeros::kTogetherThenFewer}),
      ternary<INTS>(
          "mad.hi.type d, a, b, c", [](auto a, auto b, auto c) { return wrap(high_product(a, b)) + wrap(c); },
          fused_cost),
      ternary<TypeList<S32>>(
          "mad.hi.sat.s32 d, a, b, c",
          [](s32 a, s32 b, s32 c) { return saturate_to_s32(s64{high_product(a, b)} + c); }, wide_cost),
      lanewise<WideAddShape, NARROW_INTS>(
          "mad.wide.type d, a, b, c",
          [](auto a, auto b, auto c) { return wrap(c) + wrap(static_cast<decltype(c)>(full_product(a, b))); },
          wide_cost)
          .with({.zeros = Zeros::kTogetherThenFewer}),
      binary<WORDS>(
          "mul24.lo.type d, a, b", [](auto a, auto b) { return product24(a, b); }, wide_cost),
      binary<WORDS>(
          "mul24.hi.type d, a, b", [](auto a, auto b) { return product24(a, b) >> 16; }, wide_cost),
      ternary<WORDS>(
          "mad24.lo.type d, a, b, c",
          [](auto a, auto b, auto c) { return wrap(static_cast<u32>(product24(a, b))) + wrap(c); },
          wide_cost),
      ternary<WORDS>(
          "mad24.hi.type d, a, b, c",
          [](auto a, auto b, auto c) { return static_cast<u32>(product24(a, b) >> 16) + wrap(c); },
          wide_cost),
      ternary<TypeList<S32>>(
          "mad24.hi.sat.s32 d, a, b, c",
          [](s32 a, s32 b, s32 c) { return saturate_to_s32((product24(a, b) >> 16) + c); }, wide_cost),
      ternary<INTS>(
          "sad.type d, a, b, c",
          [](auto a, auto b, auto c) { return wrap(c) + (a < b ? wrap(b) - wrap(a) : wrap(a) - wrap(b)); },
          pair_cost),
      binary<INTS>(
          "div.type d, a, b", [](auto a, auto b) { return divide(a, b); }, division_cost)
          .with(kQuotient),
      binary<INTS>(
          "rem.type d, a, b", [](auto a, auto b) { return remainder(a, b); }, division_cost)
          .with({.arithmetic = Arithmetic::kRemainder}),
  };
}

// The manual puts .relu before the type, nvcc's headers behind it.
constexpr auto smaller_relu = [](s32 a, s32 b) { return not_negative(smaller(a, b)); };
constexpr auto larger_relu = [](s32 a, s32 b) { return not_negative(larger(a, b)); };
constexpr auto smaller_halves_relu = [](u32 a, u32 b) {
  return by_halves<s16>([](s16 x, s16 y) { return not_negative(smaller(x, y)); }, a, b);
};
constexpr auto larger_halves_relu = [](u32 a, u32 b) {
  return by_halves<s16>([](s16 x, s16 y) { return not_negative(larger(x, y)); }, a, b);
};

std::vector<Row> order_rows() {
  return {
      unary<SIGNED>("abs.type d, a", [](auto a) { return absolute(a); }),
      unary<SIGNED>("neg.type d, a", [](auto a) { return wrap(decltype(a){0}) - wrap(a); }),
      binary<INTS>("min.type d, a, b", smaller),
      binary<TypeList<S32>>("min.relu.s32 d, a, b", smaller_relu),
      binary<TypeList<S32>>("min.s32.relu d, a, b", smaller_relu),
      binary<TypeList<U16X2>>("min.u16x2 d, a, b",
                              [](u32 a, u32 b) { return by_halves<u16>(smaller, a, b); }),
      binary<TypeList<S16X2>>("min.s16x2 d, a, b",
                              [](u32 a, u32 b) { return by_halves<s16>(smaller, a, b); }),
      binary<TypeList<S16X2>>("min.relu.s16x2 d, a, b", smaller_halves_relu),
      binary<TypeList<S16X2>>("min.s16x2.relu d, a, b", smaller_halves_relu),
      binary<INTS>("max.type d, a, b", larger),
      binary<TypeList<S32>>("max.relu.s32 d, a, b", larger_relu),
      binary<TypeList<S32>>("max.s32.relu d, a, b", larger_relu),
      binary<TypeList<U16X2>>("max.u16x2 d, a, b", [](u32 a, u32 b) { return by_halves<u16>(larger, a, b); }),
      binary<TypeList<S16X2>>("max.s16x2 d, a, b", [](u32 a, u32 b) { return by_halves<s16>(larger, a, b); }),
      binary<TypeList<S16X2>>("max.relu.s16x2 d, a, b", larger_halves_relu),
      binary<TypeList<S16X2>>("max.s16x2.relu d, a, b", larger_halves_relu),
  };
}

}  // namespace

std::vector<Row> integer_rows() { return joined({sum_rows, product_rows, order_rows}); }

}  // namespace roofline::sim::isa
