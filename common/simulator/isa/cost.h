// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/isa/row.h"

/// What instructions cost, by shape and type. `issue` counts SASS instructions: PTX is one step above them.
namespace roofline::sim::isa {

using CostFunction = Cost (*)(const Match&);

/// One add, compare or move: ALU for 32-bit integers (64-bit ones take two), one FLOP on the FMA pipe for
/// f32, on the FP64 pipe for f64, on the half pipe for f16 and bf16 (two FLOPs for the packed ones).
Cost arithmetic_cost(const Match& match);
/// Integer multiply (FMA pipe; 64-bit ones are built from four) and floating multiply (one FLOP).
Cost multiply_cost(const Match& match);
/// Multiply-add: two FLOPs for floats.
Cost fused_cost(const Match& match);
/// Integer logic, compare, min, max, sign changes of floats: no FLOP, ALU pipe.
Cost logic_cost(const Match& match);

/// A comparison whose result is a predicate: who tests it waits longer than for a register.
Cost test_cost(const Match& match);
/// ALU latencies from a comparison to the use of its predicate: ptxas puts 12 clocks there, and on an H200
/// they pass (lg2.approx, rsqrt.approx, and loops of nothing but a sum, a comparison and a branch).
inline constexpr u8 kTestSteps = 3;

/// The same for every type.
template <Pipe kPipe, u8 kIssue = 1, FlopType kFlopType = FlopType::kNone, u32 kFlops = 0>
Cost fixed_cost(const Match&) {
  return {kPipe, kIssue, kFlopType, kFlops};
}
/// Becomes an operand or an address on hardware: mov, cvta, ld.param of a kernel.
inline constexpr CostFunction kNoCost = fixed_cost<Pipe::kNone, 0>;

}  // namespace roofline::sim::isa
