// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/analysis/register_uses.h"

namespace roofline::sim {

/// nvcc's PTX names every value: moves of literals, of special registers, of other registers, and loads of
/// kernel parameters. Hardware folds them into operands, and so do we: the register becomes an alias of the
/// row that it would be copied from. Their counters are those of a neighbour in the same basic block that
/// always executes with them.
struct Copy {
  bool is_copy = false;
  u32 donor = 0;  ///< PTX instruction that lends its counters
};

/// Which instructions of a function need no execution, by position.
struct FoundCopies {
  std::vector<Copy> copies;
  RegisterUses registers;
};

FoundCopies find_copies(const ptx::Function& function, std::span<const Traits> traits,
                        const ControlFlowGraph& graph);

}  // namespace roofline::sim
