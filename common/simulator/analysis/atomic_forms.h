// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/analysis/register_uses.h"
#include "simulator/program/instruction.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// Notes in `info` what ptxas makes of each atomic, by the rules that it was seen to follow for sm_75, sm_80
/// and sm_90 (AtomicForm); adds what the lanes do before one of them goes for all.
void note_atomic_forms(const ptx::Function& function, const ControlFlowGraph& graph,
                       const RegisterUses& registers, std::span<InstructionInfo> info);

}  // namespace roofline::sim
