// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/predication.h"

#include <algorithm>
#include <map>
#include <string>

namespace roofline::sim {
namespace {

using Block = ControlFlowGraph::Block;

/// Instructions that ptxas predicates at most, without and with a read of memory that may take long.
constexpr u32 kMost = 8, kMostWithRead = 20;

/// Between which instructions each register is used.
struct Uses {
  u32 first = ~0u, last = 0;
  void add(u32 instruction) {
    first = std::min(first, instruction);
    last = std::max(last, instruction);
  }
};

class Finder {
 public:
  Finder(const ptx::Function& function, const ControlFlowGraph& graph, std::span<InstructionInfo> info)
      : function_(function), graph_(graph), info_(info) {
    for (const Block& block : graph.blocks())
      for (const u32 to : block.successors) ++predecessors_[to];
    for (u32 i = 0; i < function.instructions.size(); ++i) {
      if (!function.instructions[i].guard.empty()) uses_[function.instructions[i].guard].add(i);
      for (const ptx::Operand& operand : function.instructions[i].operands) note(operand, i);
    }
  }

  void note_all() {
    // The inner one of two conditions is decided first.
    for (size_t b = graph_.blocks().size(); b-- > 0;) {
      const Block& block = graph_.blocks()[b];
      if (block.end == block.begin || !is_condition(block.end - 1)) continue;
      const u32 until = end_of_skipped(block, static_cast<u32>(b));
      Predication& found = info_[block.end - 1].predication;
      found.until = until;
      for (u32 i = block.end; i < until; ++i)
        if (info_[i].cost.pipe != Pipe::kNone) found.slots += info_[i].cost.issue;
    }
  }

 private:
  void note(const ptx::Operand& operand, u32 at) {
    if (!operand.name.empty()) uses_[operand.name].add(at);
    for (const ptx::Operand& element : operand.elements) note(element, at);
  }

  bool is_condition(u32 instruction) const {
    return info_[instruction].traits.flow == Flow::kBranch &&
           !function_.instructions[instruction].guard.empty();
  }

  /// The instruction up to which all behind the block's branch becomes predicated; 0: it stays a branch.
  u32 end_of_skipped(const Block& block, u32 b) const {
    const std::vector<u32>& to = block.successors;
    if (to.size() != 2 || std::find(to.begin(), to.end(), b + 1) == to.end()) return 0;
    const u32 target = to[0] == b + 1 ? to[1] : to[0];
    if (target <= b + 1 || predecessors_.at(b + 1) != 1 || leaves(target)) return 0;
    const Block& body = graph_.blocks()[b + 1];
    const u32 until = graph_.blocks()[target].begin;
    if (target == b + 2) {
      const bool falls_through = body.successors == std::vector<u32>{target} && !body.may_exit;
      return falls_through && is_short(body.begin, body.end) ? until : 0;
    }
    // if (a && b): one condition, and one branch where what follows is long.
    if (body.end == body.begin || !is_condition(body.end - 1) || !is_only_a_condition(body, until)) return 0;
    if (std::find(body.successors.begin(), body.successors.end(), target) == body.successors.end()) return 0;
    return info_[body.end - 1].predication.until == until ? until : body.end - 1;
  }

  /// A branch to the end of the kernel is an exit with a predicate.
  bool leaves(u32 block) const {
    const u32 begin = graph_.blocks()[block].begin;
    return begin >= info_.size() || info_[begin].traits.flow == Flow::kLeave;
  }

  /// Lanes need each other's values: a barrier does not.
  static bool exchanges(Gathers gathers) { return gathers != Gathers::kNone && gathers != Gathers::kBarrier; }

  /// Whether ptxas gives all of them a predicate.
  bool is_short(u32 begin, u32 end) const {
    u32 count = 0;
    bool reads = false;
    for (u32 i = begin; i < end; ++i) {
      const InstructionInfo& info = info_[i];
      if (info.traits.flow != Flow::kNext || exchanges(info.traits.gathers) || info.is_atomic ||
          info.traits.fence != Fence::kNone || info.traits.shuffle != Shuffle::kNone ||
          info.traits.barrier_object || info.traits.polls)
        return false;
      if (info.cost.pipe == Pipe::kNone) continue;
      // Approximations of functions are several instructions early on; a 64-bit sum is one until late.
      count += info.cost.pipe == Pipe::kSfu ? std::max<u32>(1, info.cost.pipe_slots()) : 1;
      reads |= info.traits.async_copy == AsyncCopy::kCopy ||
               (info.is_load && info.space != ptx::Space::kShared && info.space != ptx::Space::kParam);
    }
    return count != 0 && count <= (reads ? kMostWithRead : kMost);
  }

  /// Nothing in the block can be missed or is seen after `end`, so that it may as well be done always.
  bool is_only_a_condition(const Block& block, u32 end) const {
    for (u32 i = block.begin; i + 1 < block.end; ++i) {
      const InstructionInfo& info = info_[i];
      if (info.traits.flow != Flow::kNext || info.cost.pipe == Pipe::kMemory ||
          info.cost.pipe == Pipe::kSfu || info.cost.pipe == Pipe::kControl ||
          info.traits.gathers != Gathers::kNone)
        return false;
      const ptx::OperandList& operands = function_.instructions[i].operands;
      if (operands.empty() || operands[0].kind != ptx::Operand::Kind::kRegister) return false;
      const Uses& uses = uses_.at(operands[0].name);
      if (uses.first < block.begin || uses.last >= end) return false;
    }
    return true;
  }

  const ptx::Function& function_;
  const ControlFlowGraph& graph_;
  std::span<InstructionInfo> info_;
  std::map<u32, u32> predecessors_;
  std::map<std::string, Uses> uses_;
};

}  // namespace

void note_predication(const ptx::Function& function, const ControlFlowGraph& graph,
                      std::span<InstructionInfo> info) {
  Finder(function, graph, info).note_all();
}

}  // namespace roofline::sim
