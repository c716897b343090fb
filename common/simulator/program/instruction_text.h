// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "simulator/program/instruction.h"

namespace roofline::sim {

/// "add.sat.s32"
std::string spelling_of(const ptx::Instruction& in);
/// "@%p1 add.s32 %r1, %r2, 3"
std::string text_of(const ptx::Instruction& in);
/// "add.s32" of "@%p1 add.s32 %r1, %r2, 3", a text that text_of() made. Only for messages: what an
/// instruction does is in its traits.
inline std::string_view spelling_in(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  return text.substr(0, text.find(' '));
}
/// Text and places; the rest is the table's.
InstructionInfo describe(const ptx::Instruction& in);

}  // namespace roofline::sim
