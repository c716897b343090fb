// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/program/instruction.h"

namespace roofline::sim {

/// ptxas makes one instruction of two that compute with one half each, where they are alike, stand in one
/// basic block and do not need each other: f16 and bf16, sums, products and fused ones. Its operands are
/// pairs of halves; where they come from different places, a permutation joins them, which is an instruction,
/// too. Changes costs in `info` (of each instruction, as it is bound), not what is computed or counted as
/// FLOPs: the second of a pair costs what its operands cost to be joined.
void pack_halves(const ptx::Function& function, const ControlFlowGraph& graph,
                 std::span<InstructionInfo> info);

}  // namespace roofline::sim
