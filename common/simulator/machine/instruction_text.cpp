// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/instruction_text.h"

#include <cstdio>

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

std::string text_of(const ptx::Operand& operand);

std::string list_of(const ptx::OperandList& operands, const char* separator) {
  std::string text;
  for (size_t i = 0; i < operands.size(); ++i) text += (i ? separator : "") + text_of(operands[i]);
  return text;
}

std::string offset_of(s64 offset) {
  if (offset == 0) return "";
  return (offset > 0 ? "+" : "") + std::to_string(offset);
}

std::string text_of(const ptx::Operand& operand) {
  switch (operand.kind) {
    case Kind::kInteger:
      return std::to_string(static_cast<s64>(operand.bits));
    case Kind::kFloat: {
      char text[24];
      if (operand.is_single) {
        std::snprintf(text, sizeof text, "0f%08llX", static_cast<unsigned long long>(operand.bits));
      } else {
        std::snprintf(text, sizeof text, "0d%016llX", static_cast<unsigned long long>(operand.bits));
      }
      return text;
    }
    case Kind::kAddress:
      return "[" + operand.name + offset_of(operand.offset) + "]";
    case Kind::kVector:
      return "{" + list_of(operand.elements, ", ") + "}";
    case Kind::kPair:
      return list_of(operand.elements, "|");
    case Kind::kDiscard:
      return "_";
    default:
      return (operand.negated ? "!" : "") + operand.name + offset_of(operand.offset);
  }
}

}  // namespace

std::string spelling_of(const ptx::Instruction& in) {
  std::string text = in.opcode;
  for (const std::string& modifier : in.modifiers) text += "." + modifier;
  return text;
}

std::string text_of(const ptx::Instruction& in) {
  std::string text;
  if (!in.guard.empty()) text += (in.guard_negated ? "@!" : "@") + in.guard + " ";
  text += spelling_of(in);
  if (in.call) return text + " " + in.call->target.name + ", (" + list_of(in.call->arguments, ", ") + ")";
  if (!in.operands.empty()) text += " " + list_of(in.operands, ", ");
  return text;
}

InstructionInfo describe(const ptx::Instruction& in) {
  InstructionInfo info;
  info.text = text_of(in);
  info.at = in.at;
  info.source = in.source;
  return info;
}

}  // namespace roofline::sim
