// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/low_zeros.h"

#include <algorithm>
#include <bit>

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

template <class F>
void each_register(const ptx::Operand& operand, F f) {
  if (operand.kind == Kind::kRegister) f(operand.name);
  for (const ptx::Operand& element : operand.elements) each_register(element, f);
}

u32 of_number(u64 bits) { return static_cast<u32>(std::countr_zero(bits)); }  // 64 of 0

}  // namespace

/// Begins with the most and goes down until every instruction agrees: loops find what holds in all rounds.
LowZeros::LowZeros(const ptx::Function& function, std::span<const Traits> traits,
                   std::function<u32(const std::string&)> of_symbol)
    : of_symbol_(std::move(of_symbol)) {
  for (const ptx::Variable& parameter : function.parameters) zeros_[parameter.name] = 0;
  for (const ptx::Variable& result : function.results) zeros_[result.name] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    const auto lower = [&](const std::string& name, u32 zeros) {
      u32& known = zeros_.try_emplace(name, kAll).first->second;
      changed = changed || zeros < known;
      known = std::min(known, zeros);
    };
    for (size_t i = 0; i < function.instructions.size(); ++i) {
      const ptx::Instruction& in = function.instructions[i];
      if (in.call)
        for (const std::string& name : in.call->results) lower(name, 0);
      if (!traits[i].writes_first || in.operands.empty()) continue;
      const u32 zeros = in.operands[0].kind == Kind::kRegister ? result_of(in, traits[i]) : 0;
      each_register(in.operands[0], [&](const std::string& name) { lower(name, zeros); });
    }
  }
}

u32 LowZeros::of_register(const std::string& name) const {
  const auto found = zeros_.find(name);
  return found == zeros_.end() ? 0 : found->second;
}

u32 LowZeros::of(const ptx::Operand& operand) const {
  switch (operand.kind) {
    case Kind::kRegister: {
      const auto found = zeros_.find(operand.name);
      return found == zeros_.end() ? kAll : found->second;  // nothing has written it yet
    }
    case Kind::kInteger:
      return of_number(operand.bits);
    case Kind::kSymbol:
      return std::min(of_symbol_(operand.name), of_number(static_cast<u64>(operand.offset)));
    default:
      return 0;
  }
}

u32 LowZeros::result_of(const ptx::Instruction& in, const Traits& traits) const {
  const auto operand = [&](size_t i) { return i < in.operands.size() ? of(in.operands[i]) : 0; };
  if (traits.copies == Copies::kValue || traits.copies == Copies::kAddress) return operand(1);
  switch (traits.zeros) {
    case Zeros::kFewer:
      return std::min(operand(1), operand(2));
    case Zeros::kMore:
      return std::max(operand(1), operand(2));
    case Zeros::kTogether:
      return std::min(operand(1) + operand(2), kAll);
    case Zeros::kTogetherThenFewer:
      return std::min(std::min(operand(1) + operand(2), kAll), operand(3));
    case Zeros::kShifted:
      return in.operands.size() > 2 && in.operands[2].kind == Kind::kInteger
                 ? static_cast<u32>(std::min<u64>(operand(1) + in.operands[2].bits, kAll))
                 : operand(1);
    case Zeros::kSame:
      return operand(1);
    case Zeros::kNone:
      break;
  }
  return 0;
}

}  // namespace roofline::sim
