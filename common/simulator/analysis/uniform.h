// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "simulator/analysis/control_flow_graph.h"
#include "simulator/analysis/register_uses.h"
#include "simulator/program/instruction.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// Which registers hold the same value in all lanes of a warp that run, whatever the inputs: what follows
/// from parameters, from the block's number and from memory at such addresses alone. ptxas knows the same.
class Uniform {
 public:
  Uniform(const ptx::Function& function, const ControlFlowGraph& graph, const RegisterUses& registers,
          std::span<const InstructionInfo> info);

  /// Of a source operand; of an address, where it points.
  bool holds(const ptx::Operand& operand) const;

 private:
  bool result_holds(size_t instruction) const;
  /// Which blocks only some lanes may run: those from a branch that lanes take differently to where they
  /// meet.
  std::vector<bool> partial_blocks() const;
  bool differs(const std::vector<u32>& writes, const std::vector<bool>& partial) const;

  const ptx::Function& function_;
  const ControlFlowGraph& graph_;
  std::span<const InstructionInfo> info_;
  std::unordered_set<std::string> varying_;
};

}  // namespace roofline::sim
