// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/swap_start.h"

#include <set>
#include <string>
#include <vector>

#include "simulator/checks/code_facts.h"
#include "simulator/program/function.h"
#include "simulator/ptx/registers.h"

namespace roofline::sim {

namespace {

std::vector<std::string> registers_of(const ptx::Operand& operand) {
  std::vector<std::string> names;
  each_register(operand, [&](const std::string& name) { names.push_back(name); });
  return names;
}

}  // namespace

bool starts_swap_loop(const Kernel& kernel, u32 load, u32 swap) {
  const InstructionInfo &loads = kernel.info[load], &swaps = kernel.info[swap];
  if (!loads.is_load || !swaps.traits.swaps || loads.function != swaps.function) return false;
  const Function& function = kernel.functions[loads.function];
  const auto& code = function.source->instructions;
  const std::vector<std::string> read = registers_of(code[load - function.first_index].operands[0]);
  std::set<std::string> holders(read.begin(), read.end());
  const auto any_holds = [&](const ptx::Operand& operand) {
    for (const std::string& each : registers_of(operand))
      if (holders.contains(each)) return true;
    return false;
  };
  // Through copies, and the packing of two halves: until no more registers hold the value.
  for (size_t before = 0; before != holders.size();) {
    before = holders.size();
    for (size_t i = 0; i < code.size(); ++i) {
      if (kernel.info[function.first_index + i].traits.copies != Copies::kValue) continue;
      if (!any_holds(code[i].operands[1])) continue;
      for (const std::string& moved : registers_of(code[i].operands[0])) holders.insert(moved);
    }
  }
  return any_holds(code[swap - function.first_index].operands[2]);
}

}  // namespace roofline::sim
