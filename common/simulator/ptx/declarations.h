// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/ptx/lexer.h"
#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// A use of a name that the module must hold once all of it is read.
struct ModuleReference {
  std::string_view name;
  TextPosition at;
};

/// What stands before the names in a declaration: `.align 4 .v2 .f32`.
struct DeclarationHead {
  Space space = Space::kNone;
  Type type;
  u32 vector = 1;
  u32 alignment = 0;  ///< 0: the type's own
  bool is_managed = false;
};

/// The space of a state space directive (".global"), kNone for any other word.
Space space_named(std::string_view dot_word);

/// Reads variables and parameters, with array dimensions and initial values.
class Declarations {
 public:
  Declarations(Lexer& lexer, std::vector<ModuleReference>& references)
      : lexer_(lexer), references_(references) {}

  /// Behind the state space.
  DeclarationHead head(Space space);
  /// One name with what belongs to it; the caller gives the name its meaning (it is the token's text here).
  Variable variable(const DeclarationHead& head, Token& name, bool is_extern);
  /// "(.param .b32 a, .param .b64 b)"; `names` receives the tokens of the names.
  std::vector<Variable> parameters(std::vector<Token>& names);
  /// The strings behind .pragma, which are advice to ptxas.
  void pragma();

 private:
  Variable parameter(Token& name);
  void attribute(DeclarationHead& head);
  void skip_pointer_facts();

  Lexer& lexer_;
  std::vector<ModuleReference>& references_;
  u64 initial_bytes_ = 0;  ///< in the whole module, so that a small text cannot ask for all memory
};

}  // namespace roofline::sim::ptx
