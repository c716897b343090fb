// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/parser.h"

#include <optional>
#include <unordered_map>

#include "simulator/ptx/declarations.h"
#include "simulator/ptx/function_body.h"
#include "simulator/ptx/lexer.h"

namespace roofline::sim::ptx {
namespace {

struct Linkage {
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
};

/// Reads a whole text, directive by directive.
class ModuleReader {
 public:
  ModuleReader(std::string_view text, std::string_view name)
      : lexer_(text, name), declarations_(lexer_, references_), locations_(text) {}

  Module read() {
    version();
    while (!lexer_.at_end()) directive();
    check_references();
    return std::move(module_);
  }

 private:
  void version();
  void target();
  void directive();
  bool fact(const Token& word);
  void file();
  void skip_section();
  void alias();
  void variables(Space space, const Linkage& linkage);
  void function(bool is_entry, const Linkage& linkage);
  void add(Variable variable, const Token& name);
  void add(Function function);
  void check_references();

  Lexer lexer_;
  std::vector<ModuleReference> references_;
  Declarations declarations_;
  Locations locations_;
  Module module_;
  std::unordered_map<std::string, std::size_t> variable_index_, function_index_;
};

void ModuleReader::version() {
  if (!lexer_.accept(".version")) lexer_.fail_expected("'.version': PTX text starts with it");
  const Token token = lexer_.next();
  const std::size_t dot = token.text.find('.');
  u64 major = 0, minor = 0;
  if (token.kind != Token::Kind::kDecimal || !integer_value(token.text.substr(0, dot), major) ||
      !integer_value(token.text.substr(dot + 1), minor) || major > 1000 || minor > 1000) {
    lexer_.fail(token, "expected a version such as 9.0");
  }
  module_.version_major = static_cast<u32>(major);
  module_.version_minor = static_cast<u32>(minor);
}

void ModuleReader::target() {
  do {
    const Token token = lexer_.expect_word("a target such as sm_80");
    std::string_view digits = token.text;
    if (digits.starts_with("sm_")) {
      digits.remove_prefix(3);
    } else if (digits.starts_with("compute_")) {
      digits.remove_prefix(8);
    } else {
      module_.is_debug |= digits == "debug";
      continue;  // texmode_independent, ...
    }
    while (!digits.empty() && (digits.back() == 'a' || digits.back() == 'f')) digits.remove_suffix(1);
    u64 number = 0;
    if (digits.empty() || !integer_value(digits, number) || number > 10000)
      lexer_.fail(token, "unknown target");
    module_.target = static_cast<u32>(number);
    module_.target_name = token.text;
  } while (lexer_.accept(','));
}

void ModuleReader::directive() {
  if (lexer_.accept(';')) return;
  Linkage linkage;
  Token token = lexer_.peek();
  if (token.kind != Token::Kind::kDotWord) lexer_.fail_expected("a directive such as .entry or .global");
  lexer_.next();
  if (fact(token)) return;
  while (true) {
    const std::string_view word = token.text;
    if (word == ".entry" || word == ".func") return function(word == ".entry", linkage);
    if (word == ".extern") {
      linkage.is_extern = true;
    } else if (word == ".visible") {
      linkage.is_visible = true;
    } else if (word == ".weak") {
      linkage.is_weak = true;
    } else if (word == ".common") {
      linkage.is_common = true;
    } else {
      const Space space = space_named(word);
      if (space == Space::kNone) lexer_.fail(token, "unknown directive '" + std::string(word) + "'");
      if (space == Space::kReg || space == Space::kParam || space == Space::kLocal) {
        lexer_.fail(token, "'" + std::string(word) + "' cannot stand outside a function");
      }
      return variables(space, linkage);
    }
    token = lexer_.peek();
    if (token.kind != Token::Kind::kDotWord)
      lexer_.fail_expected(".entry, .func or a state space such as .global");
    lexer_.next();
  }
}

bool ModuleReader::fact(const Token& token) {
  const std::string_view word = token.text;
  if (word == ".target") {
    target();
  } else if (word == ".address_size") {
    const Token size = lexer_.peek();
    if (lexer_.expect_integer("64") != 64) lexer_.fail(size, "only 64-bit addresses are supported");
  } else if (word == ".file") {
    file();
  } else if (word == ".section") {
    skip_section();
  } else if (word == ".alias") {
    alias();
  } else if (word == ".pragma") {
    declarations_.pragma();
  } else {
    return false;
  }
  return true;
}

void ModuleReader::file() {
  const u32 index = lexer_.expect_count("the number of a file", 1u << 30);
  const Token path = lexer_.peek();
  if (path.kind != Token::Kind::kString) lexer_.fail_expected("the path of a file in quotes");
  lexer_.next();
  module_.files[index] = path.text.substr(1, path.text.size() - 2);
  while (lexer_.accept(',')) lexer_.expect_integer("a time or a size");
}

void ModuleReader::skip_section() {
  if (lexer_.peek().kind != Token::Kind::kDotWord) lexer_.fail_expected("the name of a section");
  lexer_.next();
  const Token brace = lexer_.peek();
  if (!brace.is('{')) lexer_.fail_expected("'{' behind the name of a section");
  lexer_.skip_block(brace);
}

void ModuleReader::alias() {
  const Token name = lexer_.expect_word("the name of the alias");
  lexer_.expect(',', "between an alias and its function");
  const Token aliasee = lexer_.expect_word("the name of a function");
  lexer_.expect(';', "behind .alias");
  references_.push_back({aliasee.text, aliasee.at});
  module_.aliases.emplace_back(name.text);
  module_.aliases.emplace_back(aliasee.text);
}

void ModuleReader::variables(Space space, const Linkage& linkage) {
  const DeclarationHead head = declarations_.head(space);
  do {
    Token name;
    Variable variable = declarations_.variable(head, name, linkage.is_extern || linkage.is_common);
    variable.is_extern = linkage.is_extern;
    variable.is_visible = linkage.is_visible;
    variable.is_weak = linkage.is_weak;
    variable.is_common = linkage.is_common;
    add(std::move(variable), name);
  } while (lexer_.accept(','));
  lexer_.expect(';', "or ',' behind a variable");
}

void ModuleReader::add(Variable variable, const Token& name) {
  const auto [entry, is_new] = variable_index_.try_emplace(variable.name, module_.variables.size());
  if (is_new) {
    module_.variables.push_back(std::move(variable));
    return;
  }
  Variable& earlier = module_.variables[entry->second];
  if (variable.is_extern) return;
  if (!earlier.is_extern) {
    lexer_.fail(name,
                "'" + variable.name + "' is already defined, in line " + std::to_string(earlier.at.line));
  }
  earlier = std::move(variable);
}

void ModuleReader::function(bool is_entry, const Linkage& linkage) {
  if (module_.target == 0) lexer_.fail(lexer_.peek(), ".target must stand before the first function");
  Function function;
  function.is_entry = is_entry;
  function.is_extern = linkage.is_extern;
  function.is_visible = linkage.is_visible;
  function.is_weak = linkage.is_weak;
  FunctionReader(lexer_, declarations_, locations_, references_, function).read();
  add(std::move(function));
}

void ModuleReader::add(Function function) {
  const auto [entry, is_new] = function_index_.try_emplace(function.name, module_.functions.size());
  if (is_new) {
    module_.functions.push_back(std::move(function));
    return;
  }
  Function& earlier = module_.functions[entry->second];
  if (!function.has_body) return;
  if (earlier.has_body) {
    lexer_.fail(function.at,
                "'" + function.name + "' is already defined, in line " + std::to_string(earlier.at.line));
  }
  function.is_noreturn = function.is_noreturn || earlier.is_noreturn;
  earlier = std::move(function);
}

void ModuleReader::check_references() {
  for (std::size_t i = 0; i < module_.aliases.size(); i += 2)
    function_index_.try_emplace(module_.aliases[i], 0);
  std::string name;
  for (const ModuleReference& reference : references_) {
    name = reference.name;
    if (variable_index_.contains(name) || function_index_.contains(name)) continue;
    lexer_.fail(reference.at, "'" + name + "' is not declared");
  }
}

}  // namespace

Module parse(std::string_view text, std::string_view name) { return ModuleReader(text, name).read(); }

}  // namespace roofline::sim::ptx
