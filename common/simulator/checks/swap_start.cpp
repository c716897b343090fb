// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/swap_start.h"

#include <set>
#include <string>
#include <vector>

#include "simulator/checks/code_facts.h"
#include "simulator/machine/function.h"

namespace roofline::sim {

namespace {

/// The registers in each operand: "atom.cas.b32 %r1, [%rd2+4], %r3, %r4" has {%r1}, {%rd2}, {%r3}, {%r4}.
std::vector<std::vector<std::string>> registers_of(std::string_view text) {
  std::vector<std::vector<std::string>> operands(1);
  int depth = 0;
  for (size_t at = std::min(text.find(' '), text.size()); at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == '[' || c == '(') ++depth;
    if (c == '}' || c == ']' || c == ')') --depth;
    if (c == ',' && depth == 0) operands.emplace_back();
    if (c != '%') continue;
    const size_t end = std::min(text.find_first_of(" ,+-]})|", at), text.size());
    operands.back().emplace_back(text.substr(at, end - at));
    at = end - 1;
  }
  return operands;
}

}  // namespace

bool starts_swap_loop(const Kernel& kernel, u32 load, u32 swap) {
  const InstructionInfo &loads = kernel.info[load], &swaps = kernel.info[swap];
  const std::string_view opcode = spelling(swaps).substr(0, spelling(swaps).find(' '));
  if (!loads.is_load || opcode.find(".cas.") == std::string_view::npos || loads.function != swaps.function)
    return false;
  const auto read = registers_of(spelling(loads)), swapped = registers_of(spelling(swaps));
  if (swapped.size() < 4) return false;
  std::set<std::string> holders(read[0].begin(), read[0].end());
  const auto any_holds = [&](const std::vector<std::string>& registers) {
    for (const std::string& each : registers)
      if (holders.contains(each)) return true;
    return false;
  };
  // Through copies, and the packing of two halves: until no more registers hold the value.
  for (size_t before = 0; before != holders.size();) {
    before = holders.size();
    for (const InstructionInfo& info : kernel.info) {
      if (info.function != loads.function || !spelling(info).starts_with("mov.")) continue;
      const auto moved = registers_of(spelling(info));
      if (moved.size() == 2 && any_holds(moved[1])) holders.insert(moved[0].begin(), moved[0].end());
    }
  }
  return any_holds(swapped[2]);
}

}  // namespace roofline::sim
