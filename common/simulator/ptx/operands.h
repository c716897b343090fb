// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/ptx/declarations.h"
#include "simulator/ptx/lexer.h"
#include "simulator/ptx/module.h"
#include "simulator/ptx/scopes.h"

namespace roofline::sim::ptx {

/// Reads the operands of instructions and gives each name its meaning in the present scope.
class Operands {
 public:
  Operands(Lexer& lexer, Scopes& scopes, std::vector<ModuleReference>& references)
      : lexer_(lexer), scopes_(scopes), references_(references) {}

  /// One operand. If it is a name that no scope knows yet (a label to come, or a name of the module),
  /// `unknown` is set to it, otherwise left empty.
  Operand operand(std::string_view& unknown);
  /// "%p1" behind '@' or '@!': the register's unique name.
  std::string guard();
  /// The name of a .param or .reg variable in a call.
  std::string call_variable();

 private:
  Operand scalar(std::string_view& unknown);
  Operand word(std::string_view& unknown);
  Operand percent_word(const Token& token);
  Operand vector_register(const Token& token, Scopes::Name& name);
  Operand vector();
  Operand address();
  void address_base(Operand& result);
  Operand number(bool negative);
  /// "+4", "-4", "+-4" or nothing.
  s64 offset();

  Lexer& lexer_;
  Scopes& scopes_;
  std::vector<ModuleReference>& references_;
};

}  // namespace roofline::sim::ptx
