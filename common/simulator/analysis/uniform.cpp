// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/uniform.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

/// Special registers that are the same for a whole block; all others may differ from lane to lane.
bool is_of_block(std::string_view name) {
  constexpr std::array<std::string_view, 11> kOfBlock = {
      "%ctaid",      "%nctaid",        "%ntid", "%gridid", "%nwarpid",          "%clusterid",
      "%nclusterid", "%cluster_ctaid", "%smid", "%nsmid",  "%dynamic_smem_size"};
  return std::ranges::any_of(kOfBlock, [&](std::string_view known) {
    return name.starts_with(known) && (name.size() == known.size() || name[known.size()] == '.');
  });
}

}  // namespace

/// Begins with everything the same and takes away until every instruction agrees.
Uniform::Uniform(const ptx::Function& function, const ControlFlowGraph& graph, const RegisterUses& registers,
                 std::span<const InstructionInfo> info)
    : function_(function), graph_(graph), info_(info) {
  if (!function.is_entry)
    for (const ptx::Variable& parameter : function.parameters) varying_.insert(parameter.name);
  for (bool changed = true; changed;) {
    changed = false;
    const std::vector<bool> partial = partial_blocks();
    for (const auto& [name, writes] : registers.writes)
      if (!varying_.contains(name) && differs(writes, partial)) changed = varying_.insert(name).second;
  }
}

std::vector<bool> Uniform::partial_blocks() const {
  const auto& blocks = graph_.blocks();
  std::vector<bool> partial(blocks.size());
  std::vector<u32> next;
  for (const ControlFlowGraph::Block& from : blocks) {
    if (from.successors.size() < 2 || from.end == from.begin) continue;
    const ptx::Instruction& branch = function_.instructions[from.end - 1];
    const bool together = branch.guard.empty()
                              ? std::ranges::all_of(branch.operands, [&](const auto& o) { return holds(o); })
                              : !varying_.contains(branch.guard);
    if (together) continue;
    std::vector<bool> seen(blocks.size());
    next.assign(from.successors.begin(), from.successors.end());
    while (!next.empty()) {
      const u32 block = next.back();
      next.pop_back();
      if (block == from.join || block >= blocks.size() || seen[block]) continue;
      seen[block] = partial[block] = true;
      next.insert(next.end(), blocks[block].successors.begin(), blocks[block].successors.end());
    }
  }
  return partial;
}

/// Of a register that is written in these places: one that has several differs where lanes may have come by
/// different ones.
bool Uniform::differs(const std::vector<u32>& writes, const std::vector<bool>& partial) const {
  return std::ranges::any_of(writes, [&](u32 i) {
    const std::string& guard = function_.instructions[i].guard;
    const bool some = partial[graph_.block_of(i)] || (!guard.empty() && varying_.contains(guard));
    return !result_holds(i) || (some && writes.size() > 1);
  });
}

bool Uniform::result_holds(size_t i) const {
  const ptx::Instruction& in = function_.instructions[i];
  const Traits& traits = info_[i].traits;
  // At the same address every lane has its own local memory, where a generic one may point, too.
  const ptx::Space space = info_[i].space;
  if (info_[i].is_load && (space == ptx::Space::kLocal || space == ptx::Space::kGeneric)) return false;
  if (in.call || traits.gathers != Gathers::kNone || traits.shuffle != Shuffle::kNone ||
      traits.atomic != AtomicOperation::kNone || traits.swaps || traits.needs_stack)
    return false;
  return std::all_of(in.operands.begin() + 1, in.operands.end(), [&](const auto& o) { return holds(o); });
}

bool Uniform::holds(const ptx::Operand& operand) const {
  switch (operand.kind) {
    case Kind::kRegister:
      return !varying_.contains(operand.name);
    case Kind::kAddress:
      return operand.base_is_symbol || !varying_.contains(operand.name);
    case Kind::kSpecial:
      return is_of_block(operand.name);
    default:
      return std::ranges::all_of(operand.elements, [&](const auto& o) { return holds(o); });
  }
}

}  // namespace roofline::sim
