// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "simulator/isa/binder.h"
#include "simulator/program/instruction.h"

namespace roofline::sim::isa {

/// What matching a spelling against a row's syntax line found.
struct Match {
  const ptx::Instruction* instruction = nullptr;
  ptx::Type type;                           ///< what `.type` stood for; a row with one type need not spell it
  ptx::Type type2;                          ///< what `.type2`/`.atype`/`.stype` stood for, likewise
  std::vector<std::string_view> modifiers;  ///< every modifier that `.type` does not stand for, in order
  bool has(std::string_view modifier) const {
    for (auto m : modifiers)
      if (m == modifier) return true;
    return false;
  }
};

struct Row;
/// Fills `in` (execute, slots, immediate, width) for a matched spelling.
using Bind = void (*)(const Row& row, const Match& match, Binder& binder, Instruction& in);

/// One row of the instruction table. The syntax is the manual's own line: `{.sat}` may be absent,
/// `{.rn,.rz}` is one of these or absent, `.{eq,ne}` exactly one of these, `.type` (or `.dtype`) one of
/// `types`,
/// `.type2` (or `.atype`, `.stype`) one of `types2`; anything else stands for itself ("mul.hi.type d, a, b").
/// The operand part says how many operands there are: `{, c}` may be absent, `...` is any number; a line
/// without operands takes none. The first operand is written when the line calls it d, f, p or r, as the
/// manual does; other names mean nothing to the table.
struct Row {
  std::string_view syntax;
  std::vector<ptx::Type> types;
  std::vector<ptx::Type> types2;
  Bind bind = nullptr;
  Cost (*cost)(const Match&) = nullptr;
  ptx::Space space = ptx::Space::kNone;  ///< memory rows
  bool is_load = false, is_store = false, is_atomic = false;
  /// What code outside of this folder must know; traits_of() adds what the syntax line and modifiers say.
  Traits traits = {};

  Row with(const Traits& more) && {
    traits = more;
    return std::move(*this);
  }
};

/// What rows of several chapters are.
inline constexpr Traits kSum = {.arithmetic = Arithmetic::kSum},
                        kDifference = {.arithmetic = Arithmetic::kDifference},
                        kProduct = {.arithmetic = Arithmetic::kProduct, .fused = "fma"},
                        kNegation = {.arithmetic = Arithmetic::kNegation},
                        kQuotient = {.arithmetic = Arithmetic::kQuotient},
                        kConverts = {.typing = Typing::kConverted};

/// Every row, chapter by chapter in the manual's order.
std::span<const Row> rows();

/// Whether the spelling fits this row; fills `match`.
bool matches(const Row& row, const ptx::Instruction& instruction, Match& match);

/// "add" of "add{.sat}.s32 d, a, b".
std::string_view opcode_of(const Row& row);

/// The row that matches the spelling, or nullptr.
const Row* find(const ptx::Instruction& instruction, Match& match);

/// All that the row and the modifiers say.
Traits traits_of(const Row& row, const Match& match);
/// The same; an instruction without a row has no traits.
Traits traits_of(const ptx::Instruction& instruction);

/// Rows that nearly matched, for the error message: same opcode first, then similar opcodes.
std::vector<const Row*> near_misses(const ptx::Instruction& instruction);

}  // namespace roofline::sim::isa
