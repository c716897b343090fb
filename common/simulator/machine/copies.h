// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/machine/control_flow_graph.h"

namespace roofline::sim {

/// nvcc's PTX names every value: moves of literals, of special registers, of other registers, and loads of
/// kernel parameters. Hardware folds them into operands, and so do we: the register becomes an alias of the
/// row that it would be copied from. Their counters are those of a neighbour in the same basic block that
/// always executes with them.
struct Copy {
  bool is_copy = false;
  u32 donor = 0;  ///< PTX instruction that lends its counters
};

/// Which instructions of a function need no execution, by position. `written_once` tells, by name, the
/// registers with a single definition, unguarded.
struct Copies {
  std::vector<Copy> copies;
  std::unordered_map<std::string, u32> definitions;
  /// Occurrences as a source, for "is this result used?".
  std::unordered_map<std::string, u32> uses;
  bool written_once(const std::string& name) const {
    const auto found = definitions.find(name);
    return found != definitions.end() && found->second == 1;
  }
};

/// Whether the first operand is a destination.
bool writes_first_operand(const ptx::Instruction& in);

Copies find_copies(const ptx::Function& function, const ControlFlowGraph& graph);

}  // namespace roofline::sim
