// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/atomic_forms.h"

#include <algorithm>

#include "simulator/analysis/uniform.h"

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

/// Who runs, how many they are, which of them goes, and the product or the sum of their values.
constexpr u8 kSlotsBeforeOneLane = 6;
/// In each turn a load, the operation, compare-and-swap, a test and a branch.
constexpr u8 kSlotsOfALoop = 6;

class Forms {
 public:
  Forms(const ptx::Function& function, std::span<InstructionInfo> info, const RegisterUses& registers,
        const Uniform& uniform)
      : function_(function), info_(info), registers_(registers), uniform_(uniform) {}

  AtomicForm of(size_t i) const {
    const ptx::Instruction& in = function_.instructions[i];
    const Traits& traits = info_[i].traits;
    const bool returns = traits.writes_first;
    const size_t address = returns ? 1 : 0;
    if (in.operands.size() < address + 2) return AtomicForm::kEachLane;
    const ptx::Operand& value = in.operands[address + 1];
    const bool is_read =
        returns && in.operands[0].kind == Kind::kRegister && registers_.reads.contains(in.operands[0].name);
    const bool is_sum = traits.atomic == AtomicOperation::kSum;
    const bool is_word = is_integer(traits.type) && traits.type.bits == 32;
    const bool same_place = uniform_.holds(in.operands[address]);
    const bool is_shared = info_[i].space == ptx::Space::kShared;
    if (is_shared && is_sum && is_word && traits.type.kind == ptx::Type::Kind::kUnsigned && !is_read &&
        value.kind == Kind::kInteger && value.bits == 1)
      return same_place ? AtomicForm::kCountedOrOneLane : AtomicForm::kCounted;
    if (same_place && is_integer(traits.type) &&
        (is_sum ? is_word || uniform_.holds(value)
                : traits.atomic == AtomicOperation::kReduction && is_word && !is_read))
      return AtomicForm::kOneLane;
    const bool native = is_word || traits.atomic == AtomicOperation::kSwap;
    return is_shared && !native ? AtomicForm::kLoop : AtomicForm::kEachLane;
  }

 private:
  static bool is_integer(const ptx::Type& type) {
    return type.lanes == 1 && (type.kind == ptx::Type::Kind::kUnsigned ||
                               type.kind == ptx::Type::Kind::kSigned || type.kind == ptx::Type::Kind::kBits);
  }

  const ptx::Function& function_;
  std::span<InstructionInfo> info_;
  const RegisterUses& registers_;
  const Uniform& uniform_;
};

}  // namespace

void note_atomic_forms(const ptx::Function& function, const ControlFlowGraph& graph,
                       const RegisterUses& registers, std::span<InstructionInfo> info) {
  if (std::ranges::none_of(info, [](const auto& in) { return in.traits.atomic != AtomicOperation::kNone; }))
    return;
  const Uniform uniform(function, graph, registers, info);
  const Forms forms(function, info, registers, uniform);
  for (size_t i = 0; i < info.size(); ++i) {
    if (info[i].traits.atomic == AtomicOperation::kNone) continue;
    info[i].atomic_form = forms.of(i);
    Cost& cost = info[i].cost;
    const u8 more = info[i].atomic_form == AtomicForm::kOneLane ? kSlotsBeforeOneLane
                    : info[i].atomic_form == AtomicForm::kLoop  ? kSlotsOfALoop - 1
                                                                : 0;
    if (more == 0) continue;
    cost.slots = static_cast<u8>(cost.pipe_slots());
    cost.issue = static_cast<u8>(cost.issue + more);
    if (info[i].atomic_form == AtomicForm::kLoop) cost.holds = Holds::kResult;
  }
}

}  // namespace roofline::sim
