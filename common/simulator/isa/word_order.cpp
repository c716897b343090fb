// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/word_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simulator/isa/row.h"
#include "simulator/ptx/type_names.h"

namespace roofline::sim::isa {

namespace {

/// Longer spellings are left alone: there are too many orders to try.
constexpr std::size_t kMostWords = 9;

bool keeps_its_place(const std::string& word) {
  static constexpr std::string_view kPlaced[] = {"global", "local", "const", "row", "col"};
  return ptx::type_named(word) || word.starts_with("shared") || word.starts_with("param") ||
         std::find(std::begin(kPlaced), std::end(kPlaced), word) != std::end(kPlaced);
}

bool is_known_opcode(const std::string& opcode) {
  return std::any_of(rows().begin(), rows().end(), [&](const Row& row) { return opcode_of(row) == opcode; });
}

}  // namespace

void use_table_order(ptx::Instruction& instruction) {
  Match match;
  const std::vector<std::string> written = instruction.modifiers;
  if (written.size() < 2 || written.size() > kMostWords || find(instruction, match) != nullptr) return;
  if (!is_known_opcode(instruction.opcode)) return;
  std::vector<std::size_t> order(written.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::next_permutation(order.begin(), order.end())) {
    std::size_t last = 0;
    const bool in_place = std::all_of(order.begin(), order.end(), [&](std::size_t i) {
      if (!keeps_its_place(written[i])) return true;
      return i >= std::exchange(last, i);
    });
    if (!in_place) continue;
    for (std::size_t i = 0; i < order.size(); ++i) instruction.modifiers[i] = written[order[i]];
    if (find(instruction, match) != nullptr) return;
  }
  instruction.modifiers = written;
}

void use_table_order(ptx::Module& module) {
  for (ptx::Function& function : module.functions)
    for (ptx::Instruction& instruction : function.instructions) use_table_order(instruction);
}

}  // namespace roofline::sim::isa
