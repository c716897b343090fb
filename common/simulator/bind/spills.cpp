// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "simulator/bind/function_builder.h"
#include "simulator/bind/hidden.h"
#include "simulator/program/instruction_text.h"

namespace roofline::sim {
namespace {

/// The instruction that the machine code at `spill` is of, as far as it can be told: by its line of PTX, else
/// by how far it is from the beginning.
size_t instruction_of(const Spill& spill, const std::vector<ptx::Instruction>& instructions) {
  if (spill.ptx_line == 0) return static_cast<size_t>(spill.part * static_cast<double>(instructions.size()));
  const auto after = std::ranges::upper_bound(instructions, spill.ptx_line, {},
                                              [](const ptx::Instruction& in) { return in.at.line; });
  return static_cast<size_t>(after - instructions.begin()) - (after == instructions.begin() ? 0 : 1);
}

/// In place of the text that PTX does not have.
std::string text_of_spill(const Spill& spill) {
  return (spill.is_store ? "(spill) " : "(refill) ") + std::to_string(spill.bytes) + " bytes " +
         (spill.is_store ? "to" : "from") + " [frame+" + std::to_string(spill.place) + "]";
}

}  // namespace

/// PTX has as many registers as it likes. What ptxas moves to local memory and back because a GPU has not is
/// known from the machine code: each such access is executed just before the instruction that it is for.
void FunctionBuilder::find_spills(std::span<const Spill> spills) {
  if (source_.instructions.empty()) return;
  spills_.resize(source_.instructions.size());
  for (const Spill& spill : spills)
    spills_[std::min(instruction_of(spill, source_.instructions), spills_.size() - 1)].push_back(spill);
}

void FunctionBuilder::bind_spills() {
  if (spills_.empty()) return;
  for (const Spill& spill : spills_[current_]) {
    InstructionInfo info = describe(instruction());
    info.text = text_of_spill(spill);
    info.guard = Guard::kNone;
    info.cost = {.pipe = Pipe::kMemory};
    info.space = ptx::Space::kLocal;
    info.is_load = !spill.is_store;
    info.is_store = spill.is_store;
    info.is_spill = true;
    info.width = static_cast<u8>(spill.bytes);
    Instruction in;
    in.execute = spill.is_store ? store_spilled : load_spilled;
    in.width = info.width;
    in.immediate = spill.place;
    in.hidden = true;
    in.index = static_cast<u32>(kernel_.info.size());
    kernel_.info.push_back(std::move(info));
    result_.code.push_back(in);
  }
}

}  // namespace roofline::sim
