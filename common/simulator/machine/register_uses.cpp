// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/register_uses.h"

#include <algorithm>
#include <string_view>

namespace roofline::sim {

bool writes_first_operand(const ptx::Instruction& in) {
  static constexpr std::string_view kNone[] = {"st",   "red", "bra",       "brx",      "bar",       "barrier",
                                               "call", "ret", "nanosleep", "prefetch", "setmaxnreg"};
  return std::find(std::begin(kNone), std::end(kNone), in.opcode) == std::end(kNone);
}

namespace {

using Kind = ptx::Operand::Kind;

template <class F>
void each_register(const ptx::Operand& operand, F f) {
  if (operand.kind == Kind::kRegister || (operand.kind == Kind::kAddress && !operand.base_is_symbol))
    if (!operand.name.empty()) f(operand.name);
  for (const ptx::Operand& element : operand.elements) each_register(element, f);
}

}  // namespace

RegisterUses::RegisterUses(const ptx::Function& function) {
  for (const auto* variables : {&function.parameters, &function.results})
    for (const ptx::Variable& variable : *variables)
      if (variable.space == ptx::Space::kReg) shared_with_caller_.insert(variable.name);
  for (u32 i = 0; i < function.instructions.size(); ++i) {
    const ptx::Instruction& in = function.instructions[i];
    const auto read = [&](const std::string& name) { reads[name].push_back(i); };
    const auto write = [&](const std::string& name) {
      writes[name].push_back(i);
      if (!in.guard.empty()) writes[name].push_back(i);
    };
    for (size_t o = 0; o < in.operands.size(); ++o) {
      const bool written = o == 0 && writes_first_operand(in) && in.operands[0].kind != Kind::kAddress;
      if (written) {
        each_register(in.operands[o], write);
      } else {
        each_register(in.operands[o], read);
      }
    }
    if (!in.guard.empty()) read(in.guard);
    if (!in.call) continue;
    for (const std::string& name : in.call->results) write(name);
    for (const ptx::Operand& argument : in.call->arguments) each_register(argument, read);
    each_register(in.call->target, read);
  }
}

}  // namespace roofline::sim
