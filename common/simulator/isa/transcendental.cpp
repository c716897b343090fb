// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/approximate.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/float_shapes.h"

/// "Floating-Point Instructions", the approximations of the special function unit.
namespace roofline::sim::isa {

namespace {

/// One instruction of the special function unit, and `around` it so many others of which the result waits for
/// `steps`.
Cost function_cost(u8 around, u8 steps) {
  return {Pipe::kSfu, static_cast<u8>(1 + around), FlopType::kF32, 1, 1, steps};
}

/// The unit flushes subnormals. Without .ftz ptxas tests for them (FSETP, whose predicate takes kTestSteps),
/// scales what goes in (FMUL) and scales back what comes out (FMUL or FADD).
Cost scaled_cost(const Match& match) {
  return match.has("ftz") ? function_cost(0, 0) : function_cost(3, kTestSteps + 2);
}
/// MUFU.RCP flushes large numbers, too: two tests and two FSEL choose the factor.
Cost reciprocal_cost(const Match& match) {
  return match.has("ftz") ? function_cost(0, 0) : function_cost(6, kTestSteps + 4);
}
/// The argument in turns.
Cost angle_cost(const Match&) { return function_cost(1, 1); }
Cost tanh_cost(const Match&) { return function_cost(0, 0); }
/// A reciprocal and a product; without .ftz both operands are scaled.
Cost quotient_cost(const Match& match) {
  return match.has("ftz") ? function_cost(1, 1) : function_cost(4, kTestSteps + 2);
}
/// The same, and large divisors are scaled in either case.
Cost full_quotient_cost(const Match& match) {
  return match.has("ftz") ? function_cost(4, kTestSteps + 2) : function_cost(7, kTestSteps + 3);
}
constexpr CostFunction kWideCost = fixed_cost<Pipe::kSfu, 1, FlopType::kF64, 1>;

/// Flushes subnormals of f64, as the two f64 approximations do.
f64 flush_wide(f64 a) { return magnitude(a) < 0x1p-1022 ? std::bit_cast<f64>(sign_bit(a)) : a; }

}  // namespace

std::vector<Row> transcendental_rows() {
  return {
      modal_binary<F32, kFtz>(
          "div.approx{.ftz}.f32 d, a, b", [](f32 a, f32 b) { return approximate_quotient(a, b); },
          quotient_cost),
      modal_binary<F32, kFtz>(
          "div.full{.ftz}.f32 d, a, b", [](f32 a, f32 b) { return a / b; }, full_quotient_cost),
      modal_unary<F32, kFtz>(
          "rcp.approx{.ftz}.f32 d, a", [](f32 a) { return 1.0f / a; }, reciprocal_cost),
      unary<TypeList<F64>>(
          "rcp.approx.ftz.f64 d, a",
          [](f64 a) { return wide_approximation(flush_wide(1.0 / flush_wide(a))); }, kWideCost),
      modal_unary<F32, kFtz>(
          "sqrt.approx{.ftz}.f32 d, a", [](f32 a) { return std::sqrt(a); }, scaled_cost),
      modal_unary<F32, kFtz>(
          "rsqrt.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_rsqrt(a); }, scaled_cost),
      modal_unary<F64, kPlain>(
          "rsqrt.approx.f64 d, a", [](f64 a) { return 1.0 / std::sqrt(a); }, kWideCost),
      unary<TypeList<F64>>(
          "rsqrt.approx.ftz.f64 d, a",
          [](f64 a) { return wide_approximation(1.0 / std::sqrt(flush_wide(a))); }, kWideCost),
      modal_unary<F32, kFtz>(
          "sin.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_sine<0>(a); }, angle_cost),
      modal_unary<F32, kFtz>(
          "cos.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_sine<1>(a); }, angle_cost),
      modal_unary<F32, kFtz>(
          "lg2.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_lg2(a); }, scaled_cost),
      modal_unary<F32, kFtz>(
          "ex2.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_ex2(a); }, scaled_cost),
      modal_unary<F32, kPlain>(
          "tanh.approx.f32 d, a", [](f32 a) { return approximate_tanh(a); }, tanh_cost),
  };
}

}  // namespace roofline::sim::isa
