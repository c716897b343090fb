// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/program/instruction.h"

/// Instructions that the function builder inserts: no PTX instruction stands for them, and they are not
/// counted.
namespace roofline::sim {

/// d = a, from `from` to `to` bytes a lane; sign-extended when asked for.
Execute resize(u32 from, u32 to, bool is_signed);
/// d = !a for predicates.
void negate_predicate(Warp& w, const Instruction& in);
/// Follows an instruction that may be part of a wait for other lanes, warps or blocks: lets them run.
void note_spin(Warp& w, const Instruction& in);
/// A register of the warp goes to `immediate` of its stack frame, or comes back. Only what that costs
/// happens.
void store_spilled(Warp& w, const Instruction& in);
void load_spilled(Warp& w, const Instruction& in);
/// %clock, %clock_hi, %clock64, %globaltimer: virtual time now. `immediate` is a Clock.
enum class Clock : u8 { kCycles, kNanoseconds };
void read_clock_32(Warp& w, const Instruction& in);
void read_clock_high(Warp& w, const Instruction& in);
void read_clock_64(Warp& w, const Instruction& in);

}  // namespace roofline::sim
