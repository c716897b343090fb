// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/program/instruction.h"

namespace roofline::sim {

/// A short forward branch is no branch in machine code: ptxas gives what it skips a predicate instead. Then
/// no warp waits for it, and instructions before, behind and after it move past each other. Which ones, by
/// the rules that ptxas was seen to follow for sm_75, sm_80 and sm_90:
/// - what is skipped is one basic block that only this branch leads to, of at most 8 instructions, or 20 if
///   one of them reads global or local memory; what becomes an operand does not count;
/// - it holds no atomic, fence, call, or exchange between lanes, and no branch;
/// - of two branches to one place, between which nothing is done that is needed later, the first is none:
///   `if (a && b)`.
/// `info`: of each instruction, as it is bound; branches that become predicates are noted in it, with
/// positions in `info`.
void note_predication(const ptx::Function& function, const ControlFlowGraph& graph,
                      std::span<InstructionInfo> info);

}  // namespace roofline::sim
