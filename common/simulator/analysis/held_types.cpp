// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/held_types.h"

#include "simulator/ptx/type_names.h"

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

/// The numbers that the spelling names. Bits say nothing, and bytes lie in wider registers.
std::vector<ptx::Type> numbers_in(const ptx::Instruction& in) {
  std::vector<ptx::Type> types;
  for (const std::string& modifier : in.modifiers) {
    const ptx::Type type = ptx::type_named(modifier).value_or(ptx::Type{});
    using enum ptx::Type::Kind;
    const bool is_integer = (type.kind == kSigned || type.kind == kUnsigned) && type.lanes == 1;
    const bool is_float = type.kind == kFloat || type.kind == kBFloat;
    if ((is_integer || is_float) && type.bits > 8) types.push_back(type);
  }
  return types;
}

void add_registers(const ptx::Operand& operand, std::vector<HeldType>& held) {
  if (operand.kind == Kind::kRegister) held.push_back({operand.name, false, {}});
  if (operand.kind == Kind::kAddress && !operand.base_is_symbol && !operand.name.empty())
    held.push_back({operand.name, true, {}});
  for (const ptx::Operand& element : operand.elements) add_registers(element, held);
}

}  // namespace

std::vector<HeldType> held_types(const ptx::Instruction& in, const Traits& traits) {
  std::vector<HeldType> held;
  const std::vector<ptx::Type> types =
      traits.typing == Typing::kOpaque ? std::vector<ptx::Type>{} : numbers_in(in);
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const size_t first = held.size();
    add_registers(in.operands[i], held);
    if (types.empty() || (traits.typing == Typing::kShifted && i == 2)) continue;
    const bool is_result = traits.typing == Typing::kConverted && types.size() == 2 && i == 0;
    for (size_t each = first; each < held.size(); ++each) {
      if (traits.typing == Typing::kAddresses) held[each].is_address = true;
      if (!held[each].is_address) held[each].type = is_result ? types.front() : types.back();
    }
  }
  return held;
}

}  // namespace roofline::sim
