// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "simulator/ptx/lexer.h"
#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// Whether `name` is a special register of the PTX manual, component included where it has one ("%tid.x").
bool is_special_register(std::string_view name);

/// What the names inside one function mean. Scopes nest; a nested scope's names get '@' and its number.
class Scopes {
 public:
  enum class Kind : u8 { kRegister, kVectorRegister, kVariable, kLabel };
  struct Name {
    Kind kind = Kind::kRegister;
    std::string unique;
    Type type;
    u32 lanes = 1;           ///< of a vector register
    bool is_listed = false;  ///< the register stands in Function::registers
    TextPosition at;
  };

  Scopes(const Lexer& lexer, Function& function) : lexer_(lexer), function_(function) { open({}); }

  void open(const Token& brace);
  /// Takes the labels' late references of the innermost scope along.
  void close();
  std::size_t depth() const { return scopes_.size(); }

  /// Each declares `token`'s name in the innermost scope and returns the name to use instead.
  const std::string& declare(const Token& token, Kind kind, Type type = {}, u32 lanes = 1);
  /// `.reg .b32 %r<54>`: %r0 to %r53.
  void declare_range(const Token& prefix, u32 count, Type type, u32 lanes);

  /// What `name` means at this place; null when no scope has it. A register found this way is in use from now
  /// on.
  Name* find(std::string_view name);
  /// The unique name of component `lane` of a vector register, which is listed as used.
  std::string component(Name& vector, u32 lane);

  /// A reference to a label that may still come.
  struct Reference {
    enum class Where : u8 { kOperand, kPrototype, kTargetList } where;
    u32 index;    ///< instruction, or target list
    u32 element;  ///< operand, or label in the list
    std::string_view name;
    TextPosition at;
  };
  void refer(const Reference& reference) { scopes_.back().references.push_back(reference); }
  /// After the outermost close(): what no label answered; the module's own names, or mistakes.
  const std::vector<Reference>& unanswered() const { return unanswered_; }

 private:
  struct Range {
    u32 count;
    Type type;
    u32 lanes;
    TextPosition at;
  };
  struct Scope {
    std::unordered_map<std::string_view, Name> names;
    std::unordered_map<std::string_view, Range> ranges;
    std::vector<Reference> references;
    std::string suffix;
    TextPosition at;
  };

  void list(const std::string& name, Type type) { function_.registers.push_back({name, type}); }
  Name* find_in_ranges(Scope& scope, std::string_view name);
  void check_new(const Token& token, const Scope& scope) const;
  std::string& target_of(const Reference& reference);

  const Lexer& lexer_;
  Function& function_;
  std::vector<Scope> scopes_;
  std::vector<Reference> unanswered_;
  u32 opened_ = 0;
};

}  // namespace roofline::sim::ptx
