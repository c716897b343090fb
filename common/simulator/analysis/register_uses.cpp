// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/register_uses.h"

#include "simulator/ptx/registers.h"

namespace roofline::sim {

RegisterUses::RegisterUses(const ptx::Function& function, std::span<const Traits> traits) {
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
      if (o == 0 && traits[i].writes_first) {
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
