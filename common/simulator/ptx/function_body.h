// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/ptx/declarations.h"
#include "simulator/ptx/lexer.h"
#include "simulator/ptx/locations.h"
#include "simulator/ptx/module.h"
#include "simulator/ptx/operands.h"
#include "simulator/ptx/scopes.h"

namespace roofline::sim::ptx {

/// Reads one `.entry` or `.func`, behind that word: results, name, parameters, limits and body.
class FunctionReader {
 public:
  FunctionReader(Lexer& lexer, Declarations& declarations, Locations& locations,
                 std::vector<ModuleReference>& references, Function& function)
      : lexer_(lexer),
        declarations_(declarations),
        locations_(locations),
        references_(references),
        function_(function),
        scopes_(lexer, function),
        operands_(lexer, scopes_, references) {
    locations_.begin_function();
  }

  void read();

 private:
  // Head.
  std::vector<Variable> parameters();
  void limits();
  void threads(u32 (&extent)[3]);
  // Body.
  void body();
  void statement(const Token& token);
  void directive(const Token& token);
  void registers();
  void variables(Space space);
  void location();
  Locations::Place place();
  void label(const Token& name);
  void targets(const Token& name);
  void prototype(const Token& name);
  void instruction(const Token& opcode, std::string guard, bool guard_negated);
  void call(Instruction& instruction);
  void call_tail(Instruction& instruction);
  void argument(Instruction::Call& call);
  void settle_references();

  Lexer& lexer_;
  Declarations& declarations_;
  Locations& locations_;
  std::vector<ModuleReference>& references_;
  Function& function_;
  Scopes scopes_;
  Operands operands_;
  SourceLine source_;
};

}  // namespace roofline::sim::ptx
