// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "simulator/program/traits.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// Basic blocks of a PTX function, in text order, with immediate post-dominators. Positions are indices into
/// ptx::Function::instructions.
class ControlFlowGraph {
 public:
  /// `traits`: of each instruction. Throws LoadError when a branch names no label of the function.
  ControlFlowGraph(const ptx::Function& function, std::span<const Traits> traits);

  struct Block {
    u32 begin = 0, end = 0;       ///< [begin, end)
    std::vector<u32> successors;  ///< blocks
    bool may_exit = false;        ///< ends in what leaves the function, or traps, guarded or not
    u32 join = kNone;             ///< block that post-dominates this one immediately; kNone: the end
  };
  static constexpr u32 kNone = ~0u;

  const std::vector<Block>& blocks() const { return blocks_; }
  u32 block_of(u32 instruction) const { return block_of_[instruction]; }
  /// Some path leads back to an earlier instruction.
  bool has_loop() const { return has_loop_; }
  /// Some path leads from the instruction back to it.
  bool in_loop(u32 instruction) const;

 private:
  void find_blocks(const ptx::Function& function, std::span<const Traits> traits);
  void connect(const ptx::Function& function, std::span<const Traits> traits);
  void find_joins();

  std::vector<Block> blocks_;
  std::vector<u32> block_of_;
  bool has_loop_ = false;
};

}  // namespace roofline::sim
