// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/machine/instruction.h"

namespace roofline::sim {

/// "add.sat.s32"
std::string spelling_of(const ptx::Instruction& in);
/// "@%p1 add.s32 %r1, %r2, 3"
std::string text_of(const ptx::Instruction& in);
/// Text and places; the rest is the table's.
InstructionInfo describe(const ptx::Instruction& in);

}  // namespace roofline::sim
