// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/packed_halves.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace roofline::sim {
namespace {

using Kind = ptx::Operand::Kind;

/// How many instructions of its kind behind an instruction are tried.
constexpr size_t kTried = 16;

class Packer {
 public:
  Packer(const ptx::Function& function, std::span<InstructionInfo> info) : function_(function), info_(info) {}

  void run(u32 begin, u32 end) {
    std::vector<u32> open;
    for (u32 i = begin; i < end; ++i) {
      note_pieces(function_.instructions[i]);
      if (is_half(i)) open.push_back(i);
    }
    for (size_t first = 0; first < open.size(); ++first) {
      if (open[first] == kTaken) continue;
      std::set<std::string> results = {result_of(open[first])};
      u32 from = open[first];
      for (size_t second = first + 1; second < std::min(open.size(), first + kTried); ++second) {
        if (open[second] == kTaken) continue;
        follow(from, open[second], results);
        from = open[second];
        if (!alike(open[first], open[second]) || reads_any(open[second], results)) continue;
        join(open[first], open[second]);
        open[second] = kTaken;
        break;
      }
    }
  }

 private:
  static constexpr u32 kTaken = ~0u;

  bool is_half(u32 i) const {
    const ptx::Instruction& in = function_.instructions[i];
    const InstructionInfo& info = info_[i];
    return info.cost.pipe == Pipe::kHalf && info.cost.issue == 1 && info.cost.flop_type == FlopType::kF16 &&
           info.traits.type.bits == 16 && in.guard.empty() && in.operands.size() >= 3 &&
           in.operands[0].kind == Kind::kRegister;
  }

  const std::string& result_of(u32 i) const { return function_.instructions[i].operands[0].name; }

  bool alike(u32 a, u32 b) const {
    const ptx::Instruction &x = function_.instructions[a], &y = function_.instructions[b];
    if (info_[a].traits.arithmetic != info_[b].traits.arithmetic ||
        info_[a].cost.flops != info_[b].cost.flops || x.modifiers != y.modifiers ||
        x.operands.size() != y.operands.size() || result_of(a) == result_of(b))
      return false;
    for (size_t i = 1; i < x.operands.size(); ++i)
      if (x.operands[i].kind != y.operands[i].kind || x.operands[i].minus != y.operands[i].minus)
        return false;
    return true;
  }

  bool reads_any(u32 i, const std::set<std::string>& names) const {
    const ptx::OperandList& operands = function_.instructions[i].operands;
    return std::any_of(operands.begin() + 1, operands.end(),
                       [&](const ptx::Operand& o) { return names.contains(o.name); });
  }

  /// What between the instructions `from` and `to` is computed from `results` joins them.
  void follow(u32 from, u32 to, std::set<std::string>& results) const {
    for (u32 i = from; i < to; ++i) {
      const ptx::Instruction& in = function_.instructions[i];
      if (in.operands.size() < 2 || !reads_any(i, results)) continue;
      if (in.operands[0].kind == Kind::kRegister) results.insert(in.operands[0].name);
      for (const ptx::Operand& element : in.operands[0].elements) results.insert(element.name);
    }
  }

  /// mov.b32 {a, b}, c and back: a and b are the halves of one register.
  void note_pieces(const ptx::Instruction& in) {
    for (const ptx::Operand& operand : in.operands)
      if (in.operands.size() == 2 && operand.elements.size() == 2)
        partner_[operand.elements[0].name] = operand.elements[1].name;
  }

  void join(u32 a, u32 b) {
    const ptx::OperandList &x = function_.instructions[a].operands, &y = function_.instructions[b].operands;
    u8 permutations = 0;
    for (size_t i = 1; i < x.size(); ++i) {
      if (x[i].kind != Kind::kRegister || x[i].name == y[i].name) continue;
      std::string& partner = partner_[x[i].name];
      permutations += partner != y[i].name;
      partner = y[i].name;
    }
    partner_[x[0].name] = y[0].name;
    info_[b].cost.pipe = permutations == 0 ? Pipe::kNone : Pipe::kAlu;
    info_[b].cost.issue = permutations;
  }

  const ptx::Function& function_;
  std::span<InstructionInfo> info_;
  std::map<std::string, std::string> partner_;  ///< the upper half by the lower one
};

}  // namespace

void pack_halves(const ptx::Function& function, const ControlFlowGraph& graph,
                 std::span<InstructionInfo> info) {
  Packer packer(function, info);
  for (const ControlFlowGraph::Block& block : graph.blocks()) packer.run(block.begin, block.end);
}

}  // namespace roofline::sim
