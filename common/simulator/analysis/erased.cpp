// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/analysis/erased.h"

#include <algorithm>
#include <vector>

namespace roofline::sim {

void erase(ptx::Function& function, const std::set<u32>& gone) {
  std::vector<u32> place(function.instructions.size() + 1);
  std::vector<ptx::Instruction> kept;
  for (u32 i = 0; i < function.instructions.size(); ++i) {
    place[i] = static_cast<u32>(kept.size());
    if (!gone.contains(i)) kept.push_back(std::move(function.instructions[i]));
  }
  place.back() = static_cast<u32>(kept.size());
  for (ptx::Label& label : function.labels)
    label.instruction = place[std::min<size_t>(label.instruction, place.size() - 1)];
  function.instructions = std::move(kept);
}

}  // namespace roofline::sim
