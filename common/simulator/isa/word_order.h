// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/ptx/module.h"

namespace roofline::sim::isa {

/// ptxas takes the modifiers of an instruction in any order: `div.ftz.rn.f32` and `div.f32.rn.ftz` are
/// `div.rn.ftz.f32`. Brings an instruction that has no row as it is written into the order of a row, if there
/// is one with these words. Types, state spaces and matrix layouts mean different operands, so those keep
/// their order.
void use_table_order(ptx::Instruction& instruction);
/// Of all instructions of a module.
void use_table_order(ptx::Module& module);

}  // namespace roofline::sim::isa
