// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/declarations.h"

#include <array>
#include <bit>

#include "simulator/ptx/initialiser.h"
#include "simulator/ptx/type_names.h"

namespace roofline::sim::ptx {
namespace {

constexpr u32 kMaximumAlignment = 1u << 20;
constexpr u64 kMaximumBytes = u64{1} << 40;
constexpr u64 kMaximumInitialBytes = u64{256} << 20;
constexpr std::size_t kMaximumDimensions = 16;

struct NamedSpace {
  std::string_view name;
  Space space;
};
constexpr std::array<NamedSpace, 6> kSpaces = {{{".reg", Space::kReg},
                                                {".const", Space::kConst},
                                                {".global", Space::kGlobal},
                                                {".local", Space::kLocal},
                                                {".param", Space::kParam},
                                                {".shared", Space::kShared}}};

}  // namespace

Space space_named(std::string_view dot_word) {
  for (const NamedSpace& entry : kSpaces) {
    if (entry.name == dot_word) return entry.space;
  }
  return Space::kNone;
}

void Declarations::attribute(DeclarationHead& head) {
  lexer_.expect('(', "behind .attribute");
  while (!lexer_.accept(')')) {
    const Token what = lexer_.peek();
    if (lexer_.accept(".managed")) {
      head.is_managed = true;
    } else if (lexer_.accept(".unified")) {
      // A unique identity for linking across devices: two numbers that mean nothing here.
      lexer_.expect('(', "behind .unified");
      lexer_.expect_integer("a number");
      lexer_.expect(',', "between the numbers of .unified");
      lexer_.expect_integer("a number");
      lexer_.expect(')', "behind the numbers of .unified");
    } else if (!lexer_.accept(',')) {
      lexer_.fail(what, "unknown attribute; .managed and .unified are known");
    }
  }
}

DeclarationHead Declarations::head(Space space) {
  DeclarationHead head;
  head.space = space;
  while (true) {
    const Token token = lexer_.peek();
    if (token.kind != Token::Kind::kDotWord) break;
    const std::string_view word = token.text.substr(1);
    lexer_.next();
    if (word == "align") {
      const Token number = lexer_.peek();
      head.alignment = lexer_.expect_count("an alignment", kMaximumAlignment);
      if (!std::has_single_bit(head.alignment)) lexer_.fail(number, "an alignment must be a power of two");
    } else if (word == "v2" || word == "v4" || word == "v8") {
      head.vector = static_cast<u32>(word[1] - '0');
    } else if (word == "attribute") {
      attribute(head);
    } else if (word == "ptr") {
      skip_pointer_facts();
    } else if (const auto type = type_named(word)) {
      if (head.type.kind != Type::Kind::kNone) lexer_.fail(token, "a second type in one declaration");
      if (type->kind == Type::Kind::kOther) lexer_.fail(token, "variables of this type are not supported");
      head.type = *type;
    } else {
      lexer_.fail(token, "unknown type or attribute '" + std::string(token.text) + "' in a declaration");
    }
  }
  if (head.type.kind == Type::Kind::kNone) lexer_.fail_expected("a type such as .b32");
  if (head.type.kind == Type::Kind::kPredicate && space != Space::kReg) {
    lexer_.fail(lexer_.peek(), "a .pred must be a .reg: predicates live in registers only");
  }
  return head;
}

void Declarations::skip_pointer_facts() {
  // `.ptr .global .align 4` speaks of what a parameter points to, not of the parameter.
  if (space_named(lexer_.peek().text) != Space::kNone) lexer_.next();
  if (lexer_.accept(".align")) lexer_.expect_count("an alignment", kMaximumAlignment);
}

Variable Declarations::variable(const DeclarationHead& head, Token& name, bool is_extern) {
  name = lexer_.expect_word("a name");
  Variable variable;
  variable.name = name.text;
  variable.space = head.space;
  variable.type = head.type;
  variable.vector = head.vector;
  variable.is_managed = head.is_managed;
  variable.is_extern = is_extern;
  variable.at = name.at;
  const u64 element = u64{head.type.bytes()} * head.vector;
  variable.alignment = head.alignment != 0 ? head.alignment : static_cast<u32>(element);

  std::vector<u64> dimensions;
  u64 bytes = element;
  bool is_open = false;
  while (lexer_.peek().is('[')) {
    const Token bracket = lexer_.next();
    variable.is_array = true;
    if (dimensions.size() == kMaximumDimensions) lexer_.fail(bracket, "too many dimensions");
    if (lexer_.accept(']')) {
      if (!dimensions.empty()) lexer_.fail(bracket, "only the first dimension may be left open");
      is_open = true;
      dimensions.push_back(0);
      continue;
    }
    const Token number = lexer_.peek();
    const u64 count = lexer_.expect_integer("the number of elements");
    lexer_.expect(']', "behind the number of elements");
    if (count > kMaximumBytes || count * bytes > kMaximumBytes)
      lexer_.fail(number, "this array is too large");
    dimensions.push_back(count);
    bytes *= count;
  }
  variable.bytes = is_open ? 0 : bytes;
  if (lexer_.accept('=')) {
    Initialiser(lexer_, variable, dimensions, references_, kMaximumInitialBytes - initial_bytes_).parse();
    initial_bytes_ += variable.initial.size();
  } else if (is_open && !is_extern && head.space != Space::kParam) {
    lexer_.fail(name, "an array with no size needs an initial value, or .extern");
  }
  return variable;
}

Variable Declarations::parameter(Token& name) {
  const Token token = lexer_.peek();
  const Space space = token.kind == Token::Kind::kDotWord ? space_named(token.text) : Space::kNone;
  if (space != Space::kParam && space != Space::kReg) lexer_.fail_expected(".param or .reg");
  lexer_.next();
  return variable(head(space), name, false);
}

void Declarations::pragma() {
  do {
    if (lexer_.peek().kind != Token::Kind::kString) lexer_.fail_expected("a string");
    lexer_.next();
  } while (lexer_.accept(','));
  lexer_.expect(';', "behind .pragma");
}

std::vector<Variable> Declarations::parameters(std::vector<Token>& names) {
  std::vector<Variable> list;
  lexer_.expect('(', "before the parameters");
  if (lexer_.accept(')')) return list;
  do {
    list.push_back(parameter(names.emplace_back()));
  } while (lexer_.accept(','));
  lexer_.expect(')', "or ',' behind a parameter");
  return list;
}

}  // namespace roofline::sim::ptx
