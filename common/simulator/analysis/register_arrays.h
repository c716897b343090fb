// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "simulator/program/instruction.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// nvcc leaves an array in local memory when its index is not known. ptxas keeps a small one in registers all
/// the same, by the rules that it was seen to follow for sm_80 and sm_90: every access to the array is of
/// elements of four bytes, alone or in vectors, its address goes nowhere else, and where an index is not
/// known it has at most 32 bytes. Arrays of halves or of doubles stay in memory.
///
/// For each instruction how many registers its access chooses among: 1 where the index is known, 0 for what
/// is no such access.
std::vector<u32> accesses_to_registers(const ptx::Function& function, std::span<const InstructionInfo> info);

}  // namespace roofline::sim
