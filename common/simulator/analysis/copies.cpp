// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/copies.h"

#include <algorithm>
#include <string_view>

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

bool has(const ptx::Instruction& in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) != in.modifiers.end();
}

bool is_clock(const std::string& name) {
  return name.starts_with("%clock") || name.starts_with("%globaltimer");
}

/// Blocks that every path from the entry to a block passes, by bit sets; functions are small.
class Dominators {
 public:
  explicit Dominators(const ControlFlowGraph& graph) : graph_(graph) {
    const size_t n = graph.blocks().size();
    sets_.assign(n, std::vector<bool>(n, true));
    sets_[0].assign(n, false);
    sets_[0][0] = true;
    std::vector<std::vector<u32>> predecessors(n);
    for (u32 b = 0; b < n; ++b)
      for (u32 s : graph.blocks()[b].successors) predecessors[s].push_back(b);
    for (bool changed = true; changed;) {
      changed = false;
      for (u32 b = 1; b < n; ++b) {
        std::vector<bool> meet(n, true);
        for (u32 p : predecessors[b])
          for (size_t i = 0; i < n; ++i) meet[i] = meet[i] && sets_[p][i];
        meet[b] = true;
        if (meet != sets_[b]) {
          sets_[b] = std::move(meet);
          changed = true;
        }
      }
    }
  }
  bool before(u32 definition, u32 use) const {
    const u32 d = graph_.block_of(definition), u = graph_.block_of(use);
    return d == u ? definition < use : sets_[u][d];
  }

 private:
  const ControlFlowGraph& graph_;
  std::vector<std::vector<bool>> sets_;
};

struct Finder {
  const ptx::Function& function;
  std::span<const Traits> traits;
  const ControlFlowGraph& graph;
  FoundCopies& result;

  bool is_kernel_parameter(const std::string& name) const {
    return function.is_entry && std::any_of(function.parameters.begin(), function.parameters.end(),
                                            [&](const ptx::Variable& v) { return v.name == name; });
  }

  bool destinations_written_once(const ptx::Operand& operand) const {
    if (operand.kind == Kind::kRegister) return result.registers.written_once(operand.name);
    return operand.kind == Kind::kVector &&
           std::all_of(operand.elements.begin(), operand.elements.end(), [&](const ptx::Operand& element) {
             return element.kind == Kind::kDiscard ||
                    (element.kind == Kind::kRegister && result.registers.written_once(element.name));
           });
  }

  bool could_be_copy(u32 i) const {
    const ptx::Instruction& in = function.instructions[i];
    const Copies copies = traits[i].copies;
    if (!in.guard.empty() || in.operands.size() != 2 || !destinations_written_once(in.operands[0]))
      return false;
    const ptx::Operand& from = in.operands[1];
    if (copies == Copies::kParameter)
      return (has(in, "param") || has(in, "param::entry")) && from.kind == Kind::kAddress &&
             from.base_is_symbol && is_kernel_parameter(from.name);
    if (in.operands[0].kind != Kind::kRegister) return false;
    if (copies == Copies::kNothing) return false;
    switch (from.kind) {
      case Kind::kInteger:
      case Kind::kFloat:
      case Kind::kSymbol:
        return true;
      case Kind::kSpecial:
        return !is_clock(from.name);
      case Kind::kRegister:
        return !from.negated && result.registers.written_once(from.name);
      default:
        return false;
    }
  }

  /// A value may stand for its copy only where the copy is certain to be this value: the source could have
  /// been written again before a use that the copy does not dominate.
  void drop_undominated() {
    std::vector<u32> candidates;
    for (u32 i = 0; i < function.instructions.size(); ++i)
      if (result.copies[i].is_copy && function.instructions[i].operands[1].kind == Kind::kRegister)
        candidates.push_back(i);
    if (candidates.empty()) return;
    const Dominators dominators(graph);
    for (u32 i : candidates)
      for (u32 use : result.registers.reads[function.instructions[i].operands[0].name])
        if (!dominators.before(i, use)) result.copies[i].is_copy = false;
  }

  bool changes_lanes(u32 i) const {
    return traits[i].flow == Flow::kCall || traits[i].gathers != Gathers::kNone;
  }

  /// Executes whenever its block does, with all lanes, and is counted then.
  bool can_donate(u32 i) const {
    if (result.copies[i].is_copy) return false;
    // Lanes come to these one after the other.
    if (traits[i].gathers == Gathers::kMembers || traits[i].gathers == Gathers::kWholeWarp) return false;
    return function.instructions[i].guard.empty() || traits[i].flow == Flow::kBranch;
  }

  bool find_donor(u32 i) {
    const auto& block = graph.blocks()[graph.block_of(i)];
    for (u32 d = i + 1; d < block.end; ++d) {
      if (can_donate(d)) return result.copies[i].donor = d, true;
      if (changes_lanes(d)) break;
    }
    for (u32 d = i; d-- > block.begin && !changes_lanes(d);)
      if (can_donate(d)) return result.copies[i].donor = d, true;
    return false;
  }
};

}  // namespace

FoundCopies find_copies(const ptx::Function& function, std::span<const Traits> traits,
                        const ControlFlowGraph& graph) {
  FoundCopies result{.copies = {}, .registers = RegisterUses(function, traits)};
  result.copies.resize(function.instructions.size());
  Finder finder{function, traits, graph, result};
  for (u32 i = 0; i < function.instructions.size(); ++i) result.copies[i].is_copy = finder.could_be_copy(i);
  finder.drop_undominated();
  // A copy without a donor executes and may then be a donor itself.
  for (u32 i = 0; i < function.instructions.size(); ++i)
    if (result.copies[i].is_copy && !finder.find_donor(i)) result.copies[i].is_copy = false;
  return result;
}

}  // namespace roofline::sim
