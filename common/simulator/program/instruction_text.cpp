// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/program/instruction_text.h"

#include <cstdio>

namespace roofline::sim {

namespace {

using Kind = ptx::Operand::Kind;

std::string text_of(const ptx::Operand& operand);

std::string list_of(const ptx::OperandList& operands, const char* separator) {
  std::string text;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i != 0) text += separator;
    text += text_of(operands[i]);
  }
  return text;
}

std::string offset_of(s64 offset) {
  if (offset == 0) return "";
  char text[24];
  std::snprintf(text, sizeof text, "%+lld", static_cast<long long>(offset));
  return text;
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
      return std::string("[")
          .append(operand.name)
          .append(offset_of(operand.offset))
          .append(operand.elements.empty() ? "" : ", ")
          .append(list_of(operand.elements, ", "))
          .append("]");
    case Kind::kVector:
      return std::string("{").append(list_of(operand.elements, ", ")).append("}");
    case Kind::kPair:
      return list_of(operand.elements, "|");
    case Kind::kDiscard:
      return "_";
    default:
      return std::string(operand.negated ? "!"
                         : operand.minus ? "-"
                                         : "")
          .append(operand.name)
          .append(offset_of(operand.offset));
  }
}

}  // namespace

std::string spelling_of(const ptx::Instruction& in) {
  std::string text = in.opcode;
  for (const std::string& modifier : in.modifiers) text.append(".").append(modifier);
  return text;
}

std::string text_of(const ptx::Instruction& in) {
  std::string text;
  if (!in.guard.empty()) text.append(in.guard_negated ? "@!" : "@").append(in.guard).append(" ");
  text += spelling_of(in);
  if (in.call) {
    text.append(" ").append(in.call->target.name);
    return text.append(", (").append(list_of(in.call->arguments, ", ")).append(")");
  }
  if (!in.operands.empty()) text.append(" ").append(list_of(in.operands, ", "));
  return text;
}

InstructionInfo describe(const ptx::Instruction& in) {
  InstructionInfo info;
  info.text = text_of(in);
  info.at = in.at;
  if (!in.guard.empty()) info.guard = in.guard_negated ? Guard::kUnless : Guard::kIf;
  info.source = in.source;
  return info;
}

}  // namespace roofline::sim
