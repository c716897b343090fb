// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/control_flow_graph.h"

#include <algorithm>

#include "simulator/ptx/load_error.h"

namespace roofline::sim {

namespace {

u32 position_of(const ptx::Function& function, const std::string& label, ptx::TextPosition at) {
  for (const ptx::Label& candidate : function.labels)
    if (candidate.name == label) return candidate.instruction;
  load_error(at, "no label '" + label + "' in function '" + function.name + "'");
}

bool branches(Flow flow) { return flow == Flow::kBranch || flow == Flow::kBranchList; }
bool ends(Flow flow) { return flow == Flow::kLeave || flow == Flow::kTrap; }

/// Instruction indices that a branch may go to, without the fall-through; empty when it is no branch.
std::vector<u32> branch_targets(const ptx::Function& function, const ptx::Instruction& in, Flow flow) {
  std::vector<u32> targets;
  if (flow == Flow::kBranch) {
    targets.push_back(position_of(function, in.operands[0].name, in.at));
  } else if (flow == Flow::kBranchList) {
    for (const ptx::BranchTargets& list : function.branch_targets)
      if (list.name == in.operands[1].name)
        for (const std::string& label : list.labels) targets.push_back(position_of(function, label, in.at));
    if (targets.empty()) load_error(in.at, "no .branchtargets list '" + in.operands[1].name + "'");
  }
  return targets;
}

/// Post-dominators by the iterative algorithm of Cooper, Harvey and Kennedy on the reversed graph; node n is
/// the virtual end.
class PostDominators {
 public:
  explicit PostDominators(const std::vector<ControlFlowGraph::Block>& blocks)
      : blocks_(blocks),
        end_(static_cast<u32>(blocks.size())),
        idom_(end_ + 1, kUnknown),
        order_(end_ + 1, kUnknown) {
    predecessors_.resize(end_ + 1);
    for (u32 b = 0; b < end_; ++b) {
      for (u32 s : blocks_[b].successors) predecessors_[s].push_back(b);
      if (blocks_[b].may_exit || blocks_[b].successors.empty()) predecessors_[end_].push_back(b);
    }
    number_from_end();
    solve();
  }
  u32 of(u32 block) const { return idom_[block] >= end_ ? ControlFlowGraph::kNone : idom_[block]; }

 private:
  static constexpr u32 kUnknown = ~0u;

  void number_from_end() {
    std::vector<std::pair<u32, size_t>> stack{{end_, 0}};
    std::vector<bool> seen(end_ + 1);
    seen[end_] = true;
    std::vector<u32> postorder;
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next == predecessors_[node].size()) {
        postorder.push_back(node);
        stack.pop_back();
        continue;
      }
      const u32 p = predecessors_[node][next++];
      if (!seen[p]) {
        seen[p] = true;
        stack.emplace_back(p, 0);
      }
    }
    nodes_.assign(postorder.rbegin(), postorder.rend());
    for (u32 i = 0; i < nodes_.size(); ++i) order_[nodes_[i]] = i;
  }

  u32 meet(u32 a, u32 b) const {
    while (a != b) {
      while (order_[a] > order_[b]) a = idom_[a];
      while (order_[b] > order_[a]) b = idom_[b];
    }
    return a;
  }

  void solve() {
    idom_[end_] = end_;
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 1; i < nodes_.size(); ++i) {
        const u32 node = nodes_[i];
        u32 best = blocks_[node].may_exit || blocks_[node].successors.empty() ? end_ : kUnknown;
        for (u32 s : blocks_[node].successors)
          if (order_[s] != kUnknown && idom_[s] != kUnknown) best = best == kUnknown ? s : meet(best, s);
        if (best != idom_[node]) {
          idom_[node] = best;
          changed = true;
        }
      }
    }
  }

  const std::vector<ControlFlowGraph::Block>& blocks_;
  u32 end_;
  std::vector<u32> idom_, order_, nodes_;
  std::vector<std::vector<u32>> predecessors_;
};

}  // namespace

ControlFlowGraph::ControlFlowGraph(const ptx::Function& function, std::span<const Traits> traits) {
  find_blocks(function, traits);
  connect(function, traits);
  find_joins();
}

void ControlFlowGraph::find_blocks(const ptx::Function& function, std::span<const Traits> traits) {
  const u32 count = static_cast<u32>(function.instructions.size());
  std::vector<bool> leads(count + 1);
  leads[0] = true;
  for (const ptx::Label& label : function.labels) leads[std::min(label.instruction, count)] = true;
  for (u32 i = 0; i < count; ++i) {
    if (branches(traits[i].flow) || ends(traits[i].flow)) leads[i + 1] = true;
  }
  block_of_.resize(count + 1);
  for (u32 i = 0; i < count; ++i) {
    if (leads[i]) blocks_.push_back({.begin = i, .end = i, .successors = {}});
    blocks_.back().end = i + 1;
    block_of_[i] = static_cast<u32>(blocks_.size()) - 1;
  }
  // A last, empty block: where labels at the end of the body lead.
  blocks_.push_back({.begin = count, .end = count, .successors = {}, .may_exit = true});
  block_of_[count] = static_cast<u32>(blocks_.size()) - 1;
}

void ControlFlowGraph::connect(const ptx::Function& function, std::span<const Traits> traits) {
  for (u32 b = 0; b + 1 < blocks_.size(); ++b) {
    Block& block = blocks_[b];
    const ptx::Instruction& last = function.instructions[block.end - 1];
    const bool guarded = !last.guard.empty();
    const Flow flow = traits[block.end - 1].flow;
    for (u32 target : branch_targets(function, last, flow)) {
      block.successors.push_back(block_of_[target]);
      has_loop_ |= target < block.end;
    }
    block.may_exit = ends(flow);
    if ((!branches(flow) && !block.may_exit) || guarded) block.successors.push_back(b + 1);
    std::sort(block.successors.begin(), block.successors.end());
    block.successors.erase(std::unique(block.successors.begin(), block.successors.end()),
                           block.successors.end());
  }
}

bool ControlFlowGraph::in_loop(u32 instruction) const {
  const u32 home = block_of_[instruction];
  std::vector<bool> seen(blocks_.size());
  std::vector<u32> open = blocks_[home].successors;
  while (!open.empty()) {
    const u32 b = open.back();
    open.pop_back();
    if (b == home) return true;
    if (seen[b]) continue;
    seen[b] = true;
    open.insert(open.end(), blocks_[b].successors.begin(), blocks_[b].successors.end());
  }
  return false;
}

void ControlFlowGraph::find_joins() {
  const PostDominators post(blocks_);
  for (u32 b = 0; b < blocks_.size(); ++b) blocks_[b].join = post.of(b);
}

}  // namespace roofline::sim
