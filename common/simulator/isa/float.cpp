// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "simulator/isa/chapters.h"
#include "simulator/isa/float_shapes.h"
#include "simulator/isa/predicate_shapes.h"

/// "Floating-Point Instructions", the part that is exact: everything but the approximations.
namespace roofline::sim::isa {

namespace {

constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto multiply = [](auto a, auto b) { return a * b; };
constexpr auto fused = [](auto a, auto b, auto c) { return std::fma(a, b, c); };
constexpr auto quotient = [](auto a, auto b) { return a / b; };
constexpr auto reciprocal = [](auto a) { return decltype(a){1} / a; };
constexpr auto root = [](auto a) { return std::sqrt(a); };
constexpr auto negated = [](auto a) {
  return std::bit_cast<decltype(a)>(to_bits(a) ^ sign_bit(decltype(a){-1}));
};
constexpr auto absolute = [](auto a) { return magnitude(a); };

/// Exact operations begin with an approximation of the special function unit, go on with FMAs, and call a
/// subroutine for operands that need more, behind a branch. The slots are those of sm_90's machine code; the
/// steps (tests, branches and, where the pipe is FP64, the special function unit) make dependent ones take
/// what they take on an H200: 62, 80 and 58 clocks in f32, 125 for a division in f64.
Cost slow_f32(u8 issue, u8 slots, u8 steps) {
  return {Pipe::kSfu, issue, FlopType::kF32, 1, slots, steps, Holds::kResult};
}
/// `slots`: DMUL and DFMA.
Cost slow_f64(u8 slots) {
  return {Pipe::kFp64, static_cast<u8>(slots + 8), FlopType::kF64, 1, slots, 15, Holds::kResult};
}
/// MUFU.RCP, FCHK (at the same rate), five FFMA and a branch.
Cost quotient_cost(const Match& match) { return match.type.bits == 64 ? slow_f64(8) : slow_f32(11, 2, 6); }
/// A test of the exponent and a branch, then MUFU.RCP and three FFMA.
Cost reciprocal_cost(const Match& match) { return match.type.bits == 64 ? slow_f64(5) : slow_f32(10, 1, 15); }
/// MUFU.RSQ beside a test of the exponent, a branch, then four FFMA and FMUL.
Cost root_cost(const Match& match) { return match.type.bits == 64 ? slow_f64(8) : slow_f32(10, 1, 10); }

/// The significand's top bit: clear in signaling NaNs. Never lost here, because nothing is computed.
template <class T>
bool is_nan(T a) {
  constexpr auto infinity = std::bit_cast<decltype(to_bits(a))>(std::numeric_limits<T>::infinity());
  return to_bits(magnitude(a)) > infinity;
}
constexpr auto is_finite = [](auto a) { return magnitude(a) < std::numeric_limits<decltype(a)>::infinity(); };
constexpr auto is_infinite = [](auto a) {
  return magnitude(a) == std::numeric_limits<decltype(a)>::infinity();
};
constexpr auto is_number = [](auto a) { return !is_nan(a); };
constexpr auto is_not_number = [](auto a) { return is_nan(a); };
/// "Positive and negative zero are considered normal numbers."
constexpr auto is_normal = [](auto a) {
  using T = decltype(a);
  const bool in_range =
      magnitude(a) >= std::numeric_limits<T>::min() && magnitude(a) < std::numeric_limits<T>::infinity();
  return in_range || a == 0;
};
constexpr auto is_subnormal = [](auto a) {
  using T = decltype(a);
  return magnitude(a) < std::numeric_limits<T>::min() && to_bits(magnitude(a)) != 0;
};

std::vector<Row> test_rows() {
  return {
      test<FLOATS>("testp.finite.type p, a", is_finite),
      test<FLOATS>("testp.infinite.type p, a", is_infinite),
      test<FLOATS>("testp.number.type p, a", is_number),
      test<FLOATS>("testp.notanumber.type p, a", is_not_number),
      test<FLOATS>("testp.normal.type p, a", is_normal),
      test<FLOATS>("testp.subnormal.type p, a", is_subnormal),
      binary<FLOATS>(
          "copysign.type d, a, b",
          [](auto a, auto b) { return std::bit_cast<decltype(b)>(to_bits(magnitude(b)) | sign_bit(a)); },
          logic_cost),
  };
}

std::vector<Row> arithmetic_rows() {
  return {
      modal_binary<F32, kFtz | kSat>("add{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32 d, a, b", add).with(kSum),
      modal_binary<F64, kPlain>("add{.rn,.rz,.rm,.rp}.f64 d, a, b", add).with(kSum),
      modal_binary<F32, kFtz | kSat>("sub{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32 d, a, b", subtract)
          .with(kDifference),
      modal_binary<F64, kPlain>("sub{.rn,.rz,.rm,.rp}.f64 d, a, b", subtract).with(kDifference),
      modal_binary<F32, kFtz | kSat>("mul{.rn,.rz,.rm,.rp}{.ftz}{.sat}.f32 d, a, b", multiply).with(kProduct),
      modal_binary<F64, kPlain>("mul{.rn,.rz,.rm,.rp}.f64 d, a, b", multiply).with(kProduct),
      modal_fused<F32, kFtz | kSat>("fma.{rn,rz,rm,rp}{.ftz}{.sat}.f32 d, a, b, c", fused),
      modal_fused<F64, kPlain>("fma.{rn,rz,rm,rp}.f64 d, a, b, c", fused),
      modal_fused<F32, kFtz | kSat>("mad.{rn,rz,rm,rp}{.ftz}{.sat}.f32 d, a, b, c", fused),
      modal_fused<F64, kPlain>("mad.{rn,rz,rm,rp}.f64 d, a, b, c", fused),
      modal_binary<F32, kFtz>("div.{rn,rz,rm,rp}{.ftz}.f32 d, a, b", quotient, quotient_cost).with(kQuotient),
      modal_binary<F64, kPlain>("div.{rn,rz,rm,rp}.f64 d, a, b", quotient, quotient_cost).with(kQuotient),
      modal_unary<F32, kFtz | kRaw>("abs{.ftz}.f32 d, a", absolute, logic_cost),
      modal_unary<F64, kRaw>("abs.f64 d, a", absolute, logic_cost),
      modal_unary<F32, kFtz | kRaw>("neg{.ftz}.f32 d, a", negated, logic_cost).with(kNegation),
      modal_unary<F64, kRaw>("neg.f64 d, a", negated, logic_cost).with(kNegation),
  };
}

template <bool kPropagate>
constexpr auto smaller = [](auto a, auto b) { return float_min<kPropagate>(a, b); };
template <bool kPropagate>
constexpr auto larger = [](auto a, auto b) { return float_max<kPropagate>(a, b); };
/// The smaller or larger magnitude with the product of the signs.
template <auto kOrder>
constexpr auto by_magnitude = [](f32 a, f32 b) {
  const f32 chosen = kOrder(magnitude(a), magnitude(b));
  return chosen != chosen ? kNaN32 : std::bit_cast<f32>(to_bits(chosen) | (sign_bit(a) ^ sign_bit(b)));
};
template <auto kOrder, bool kAbsolute>
constexpr auto of_three = [](f32 a, f32 b, f32 c) {
  return kAbsolute ? kOrder(kOrder(magnitude(a), magnitude(b)), magnitude(c)) : kOrder(kOrder(a, b), c);
};

std::vector<Row> order_rows() {
  return {
      modal_binary<F32, kFtz>("min{.ftz}.f32 d, a, b", smaller<false>, logic_cost),
      modal_binary<F32, kFtz>("min{.ftz}.NaN.f32 d, a, b", smaller<true>, logic_cost),
      modal_binary<F32, kFtz>("min{.ftz}.xorsign.abs.f32 d, a, b", by_magnitude<smaller<false>>, logic_cost),
      modal_binary<F32, kFtz>("min{.ftz}.NaN.xorsign.abs.f32 d, a, b", by_magnitude<smaller<true>>,
                              logic_cost),
      modal_ternary<F32, kFtz>("min{.ftz}.f32 d, a, b, c", of_three<smaller<false>, false>, logic_cost),
      modal_ternary<F32, kFtz>("min{.ftz}.NaN.f32 d, a, b, c", of_three<smaller<true>, false>, logic_cost),
      modal_ternary<F32, kFtz>("min{.ftz}.abs.f32 d, a, b, c", of_three<smaller<false>, true>, logic_cost),
      modal_ternary<F32, kFtz>("min{.ftz}.NaN.abs.f32 d, a, b, c", of_three<smaller<true>, true>, logic_cost),
      modal_binary<F64, kPlain>("min.f64 d, a, b", smaller<false>, logic_cost),
      modal_binary<F32, kFtz>("max{.ftz}.f32 d, a, b", larger<false>, logic_cost),
      modal_binary<F32, kFtz>("max{.ftz}.NaN.f32 d, a, b", larger<true>, logic_cost),
      modal_binary<F32, kFtz>("max{.ftz}.xorsign.abs.f32 d, a, b", by_magnitude<larger<false>>, logic_cost),
      modal_binary<F32, kFtz>("max{.ftz}.NaN.xorsign.abs.f32 d, a, b", by_magnitude<larger<true>>,
                              logic_cost),
      modal_ternary<F32, kFtz>("max{.ftz}.f32 d, a, b, c", of_three<larger<false>, false>, logic_cost),
      modal_ternary<F32, kFtz>("max{.ftz}.NaN.f32 d, a, b, c", of_three<larger<true>, false>, logic_cost),
      modal_ternary<F32, kFtz>("max{.ftz}.abs.f32 d, a, b, c", of_three<larger<false>, true>, logic_cost),
      modal_ternary<F32, kFtz>("max{.ftz}.NaN.abs.f32 d, a, b, c", of_three<larger<true>, true>, logic_cost),
      modal_binary<F64, kPlain>("max.f64 d, a, b", larger<false>, logic_cost),
  };
}

std::vector<Row> root_rows() {
  return {
      modal_unary<F32, kFtz>("rcp.{rn,rz,rm,rp}{.ftz}.f32 d, a", reciprocal, reciprocal_cost)
          .with({.arithmetic = Arithmetic::kReciprocal}),
      modal_unary<F64, kPlain>("rcp.{rn,rz,rm,rp}.f64 d, a", reciprocal, reciprocal_cost)
          .with({.arithmetic = Arithmetic::kReciprocal}),
      modal_unary<F32, kFtz>("sqrt.{rn,rz,rm,rp}{.ftz}.f32 d, a", root, root_cost)
          .with({.arithmetic = Arithmetic::kRoot}),
      modal_unary<F64, kPlain>("sqrt.{rn,rz,rm,rp}.f64 d, a", root, root_cost)
          .with({.arithmetic = Arithmetic::kRoot}),
  };
}

}  // namespace

std::vector<Row> float_rows() { return joined({test_rows, arithmetic_rows, order_rows, root_rows}); }

}  // namespace roofline::sim::isa
