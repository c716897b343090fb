// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/approximate.h"
#include "simulator/isa/chapters.h"
#include "simulator/isa/float_shapes.h"

/// "Floating-Point Instructions", the approximations of the special function unit.
namespace roofline::sim::isa {

namespace {

constexpr CostFunction kSfuCost = fixed_cost<Pipe::kSfu, 1, FlopType::kF32, 1>;
constexpr CostFunction kDivisionCost = fixed_cost<Pipe::kSfu, 2, FlopType::kF32, 1>;
constexpr CostFunction kWideCost = fixed_cost<Pipe::kSfu, 1, FlopType::kF64, 1>;

/// Flushes subnormals of f64, as the two f64 approximations do.
f64 flush_wide(f64 a) { return magnitude(a) < 0x1p-1022 ? std::bit_cast<f64>(sign_bit(a)) : a; }

}  // namespace

std::vector<Row> transcendental_rows() {
  return {
      modal_binary<F32, kFtz>(
          "div.approx{.ftz}.f32 d, a, b", [](f32 a, f32 b) { return approximate_quotient(a, b); },
          kDivisionCost),
      modal_binary<F32, kFtz>(
          "div.full{.ftz}.f32 d, a, b", [](f32 a, f32 b) { return a / b; }, kDivisionCost),
      modal_unary<F32, kFtz>(
          "rcp.approx{.ftz}.f32 d, a", [](f32 a) { return 1.0f / a; }, kSfuCost),
      unary<TypeList<F64>>(
          "rcp.approx.ftz.f64 d, a",
          [](f64 a) { return wide_approximation(flush_wide(1.0 / flush_wide(a))); }, kWideCost),
      modal_unary<F32, kFtz>(
          "sqrt.approx{.ftz}.f32 d, a", [](f32 a) { return std::sqrt(a); }, kSfuCost),
      modal_unary<F32, kFtz>(
          "rsqrt.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_rsqrt(a); }, kSfuCost),
      modal_unary<F64, kPlain>(
          "rsqrt.approx.f64 d, a", [](f64 a) { return 1.0 / std::sqrt(a); }, kWideCost),
      unary<TypeList<F64>>(
          "rsqrt.approx.ftz.f64 d, a",
          [](f64 a) { return wide_approximation(1.0 / std::sqrt(flush_wide(a))); }, kWideCost),
      modal_unary<F32, kFtz>(
          "sin.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_sine<0>(a); }, kSfuCost),
      modal_unary<F32, kFtz>(
          "cos.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_sine<1>(a); }, kSfuCost),
      modal_unary<F32, kFtz>(
          "lg2.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_lg2(a); }, kSfuCost),
      modal_unary<F32, kFtz>(
          "ex2.approx{.ftz}.f32 d, a", [](f32 a) { return approximate_ex2(a); }, kSfuCost),
      modal_unary<F32, kPlain>(
          "tanh.approx.f32 d, a", [](f32 a) { return approximate_tanh(a); }, kSfuCost),
  };
}

}  // namespace roofline::sim::isa
