// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/cost.h"

namespace roofline::sim::isa {

namespace {

using Kind = ptx::Type::Kind;

bool is_float(ptx::Type type) { return type.kind == Kind::kFloat || type.kind == Kind::kBFloat; }

/// `flops` of a float type on its own pipe, one issue slot.
Cost float_cost(ptx::Type type, int flops) {
  if (type.bits == 64) return {Pipe::kFp64, 1, FlopType::kF64, static_cast<u32>(flops)};
  if (type.bits == 32 && type.lanes == 1) return {Pipe::kFma, 1, FlopType::kF32, static_cast<u32>(flops)};
  return {Pipe::kHalf, 1, FlopType::kF16, static_cast<u32>(flops * type.lanes)};
}

}  // namespace

Cost arithmetic_cost(const Match& match) {
  if (is_float(match.type)) return float_cost(match.type, 1);
  return {Pipe::kAlu, static_cast<u8>(match.type.bits == 64 ? 2 : 1)};
}

Cost multiply_cost(const Match& match) {
  if (is_float(match.type)) return float_cost(match.type, 1);
  return {Pipe::kFma, static_cast<u8>(match.type.bits == 64 ? 4 : 1)};
}

Cost fused_cost(const Match& match) {
  if (is_float(match.type)) return float_cost(match.type, 2);
  return {Pipe::kFma, static_cast<u8>(match.type.bits == 64 ? 4 : 1)};
}

Cost logic_cost(const Match& match) {
  if (is_float(match.type)) {
    const Cost cost = float_cost(match.type, 0);
    return {match.type.bits == 64 ? Pipe::kFp64 : Pipe::kAlu, cost.issue};
  }
  return {Pipe::kAlu, static_cast<u8>(match.type.bits == 64 ? 2 : 1)};
}

Cost test_cost(const Match& match) {
  Cost cost = logic_cost(match);
  if (cost.pipe == Pipe::kAlu) cost.steps = kTestSteps - 1;
  return cost;
}

}  // namespace roofline::sim::isa
