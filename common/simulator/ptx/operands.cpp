// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/operands.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "simulator/ptx/number.h"

namespace roofline::sim::ptx {
namespace {

using OperandKind = Operand::Kind;

Operand make(OperandKind kind, TextPosition at) {
  Operand operand;
  operand.kind = kind;
  operand.at = at;
  return operand;
}

}  // namespace

Operand Operands::operand(std::string_view& unknown) {
  unknown = {};
  if (lexer_.peek().is('[')) return address();
  Operand first = lexer_.peek().is('{') ? vector() : scalar(unknown);
  if (!lexer_.accept('|')) return first;
  Operand pair = make(OperandKind::kPair, first.at);
  pair.elements.push_back(std::move(first));
  std::string_view second_unknown;
  const Token second = lexer_.peek();
  pair.elements.push_back(scalar(second_unknown));
  for (const Operand& element : pair.elements) {
    const bool destination = element.kind == OperandKind::kVector && &element == &pair.elements.front();
    if (element.kind != OperandKind::kRegister && element.kind != OperandKind::kDiscard && !destination) {
      lexer_.fail(second, "both sides of '|' must be registers or '_'");
    }
  }
  return pair;
}

Operand Operands::scalar(std::string_view& unknown) {
  const Token token = lexer_.peek();
  switch (token.kind) {
    case Token::Kind::kWord:
      return word(unknown);
    case Token::Kind::kInteger:
    case Token::Kind::kHexFloat:
    case Token::Kind::kDecimal:
      return number(false);
    case Token::Kind::kMark:
      break;
    default:
      lexer_.fail_expected("an operand");
  }
  if (lexer_.accept('-')) return number(true);
  if (lexer_.accept('+')) return number(false);
  if (!lexer_.accept('!')) lexer_.fail_expected("an operand");
  const Token name = lexer_.peek();
  if (name.kind != Token::Kind::kWord) lexer_.fail_expected("a predicate behind '!'");
  Operand result = word(unknown);
  if (result.kind != OperandKind::kRegister)
    lexer_.fail(name, "only a predicate register can stand behind '!'");
  result.negated = true;
  return result;
}

Operand Operands::number(bool negative) {
  const Token token = lexer_.peek();
  Operand result = make(OperandKind::kInteger, token.at);
  if (token.kind == Token::Kind::kInteger) {
    const u64 value = lexer_.expect_integer("a number");
    result.bits = negative ? 0 - value : value;
    return result;
  }
  if (token.kind != Token::Kind::kHexFloat && token.kind != Token::Kind::kDecimal)
    lexer_.fail_expected("a number");
  lexer_.next();
  const FloatLiteral literal = float_literal(token.text);
  if (!literal.is_valid) lexer_.fail(token, "malformed number, or one beyond the range of double");
  result.kind = OperandKind::kFloat;
  result.is_single = literal.is_single;
  result.number = negative ? -literal.value : literal.value;
  const u64 sign = literal.is_single ? u64{1} << 31 : u64{1} << 63;
  result.bits = negative ? literal.bits ^ sign : literal.bits;
  return result;
}

Operand Operands::word(std::string_view& unknown) {
  const Token token = lexer_.next();
  if (Scopes::Name* name = scopes_.find(token.text)) {
    if (name->kind == Scopes::Kind::kVectorRegister) return vector_register(token, *name);
    Operand result =
        make(name->kind == Scopes::Kind::kRegister ? OperandKind::kRegister : OperandKind::kSymbol, token.at);
    result.name = name->unique;
    if (name->kind == Scopes::Kind::kRegister && lexer_.peek().kind == Token::Kind::kDotWord) {
      const Token selector = lexer_.next();
      constexpr std::string_view kParts[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
      const auto part = std::find(std::begin(kParts), std::end(kParts), selector.text);
      if (part == std::end(kParts))
        lexer_.fail(selector, "a register that is no vector has the parts .b0 to .b3, .h0 and .h1");
      result.part = static_cast<u8>(part - std::begin(kParts) + 1);
    }
    if (name->kind == Scopes::Kind::kVariable) result.offset = offset();
    if (name->kind == Scopes::Kind::kLabel)
      unknown = token.text;  // an inner label of this name may still come
    return result;
  }
  if (token.text == "_") return make(OperandKind::kDiscard, token.at);
  if (token.text == "WARP_SZ") {
    Operand result = make(OperandKind::kInteger, token.at);
    result.bits = kWarpSize;
    return result;
  }
  if (token.text.front() == '%') return percent_word(token);
  Operand result = make(OperandKind::kSymbol, token.at);
  result.name = token.text;
  result.offset = offset();
  unknown = token.text;
  return result;
}

Operand Operands::percent_word(const Token& token) {
  Operand result = make(OperandKind::kSpecial, token.at);
  result.name = token.text;
  if (lexer_.peek().kind == Token::Kind::kDotWord) result.name += lexer_.next().text;
  if (is_special_register(result.name)) return result;
  if (is_special_register(result.name + ".x")) {
    lexer_.fail(token, "'" + result.name + "' needs a component: .x, .y or .z");
  }
  lexer_.fail(token, "'" + result.name + "' is neither a declared register nor a special register");
}

Operand Operands::vector_register(const Token& token, Scopes::Name& name) {
  constexpr std::string_view kLetters[] = {"xyzw", "rgba"};
  if (lexer_.peek().kind == Token::Kind::kDotWord) {
    const Token selector = lexer_.next();
    for (const std::string_view letters : kLetters) {
      const std::size_t lane = selector.text.size() == 2 ? letters.find(selector.text[1]) : letters.npos;
      if (lane >= name.lanes) continue;
      Operand result = make(OperandKind::kRegister, token.at);
      result.name = scopes_.component(name, static_cast<u32>(lane));
      return result;
    }
    lexer_.fail(selector, "this vector register has no such component");
  }
  Operand result = make(OperandKind::kVector, token.at);
  for (u32 lane = 0; lane < name.lanes; ++lane) {
    Operand& element = result.elements.emplace_back(make(OperandKind::kRegister, token.at));
    element.name = scopes_.component(name, lane);
  }
  return result;
}

s64 Operands::offset() {
  bool negative = lexer_.accept('-');
  if (!negative) {
    if (!lexer_.accept('+')) return 0;
    negative = lexer_.accept('-');
  }
  const u64 value = lexer_.expect_integer("an offset");
  return static_cast<s64>(negative ? 0 - value : value);
}

Operand Operands::vector() {
  const Token brace = lexer_.next();
  Operand result = make(OperandKind::kVector, brace.at);
  result.elements.reserve(4);
  do {
    std::string_view unknown;
    const Token first = lexer_.peek();
    result.elements.push_back(scalar(unknown));
    if (!unknown.empty()) references_.push_back({unknown, first.at});
  } while (lexer_.accept(','));
  lexer_.expect('}', "or ',' in a vector operand");
  return result;
}

void Operands::address_base(Operand& result) {
  const Token token = lexer_.next();
  const Scopes::Name* name = scopes_.find(token.text);
  if (name == nullptr) {
    if (token.text.front() == '%')
      lexer_.fail(token, "'" + std::string(token.text) + "' is not a declared register");
    result.base_is_symbol = true;
    result.name = token.text;
    references_.push_back({token.text, token.at});
    return;
  }
  if (name->kind == Scopes::Kind::kVectorRegister || name->kind == Scopes::Kind::kLabel) {
    lexer_.fail(token, "this cannot be the base of an address");
  }
  result.base_is_symbol = name->kind == Scopes::Kind::kVariable;
  result.name = name->unique;
}

Operand Operands::address() {
  const Token bracket = lexer_.next();
  Operand result = make(OperandKind::kAddress, bracket.at);
  if (lexer_.peek().kind == Token::Kind::kWord) {
    address_base(result);
    result.offset = offset();
  } else {
    const bool negative = lexer_.accept('-');
    const u64 value = lexer_.expect_integer("a register, a variable or a number");
    result.offset = static_cast<s64>(negative ? 0 - value : value);
  }
  while (lexer_.accept(',')) {
    std::string_view unknown;
    result.elements.push_back(lexer_.peek().is('{') ? vector() : scalar(unknown));
  }
  lexer_.expect(']', "at the end of the address");
  return result;
}

std::string Operands::guard() {
  const Token token = lexer_.expect_word("a predicate register behind '@'");
  const Scopes::Name* name = scopes_.find(token.text);
  if (name == nullptr || name->kind != Scopes::Kind::kRegister) {
    lexer_.fail(token, "'" + std::string(token.text) + "' is not a declared register");
  }
  if (name->type.kind != Type::Kind::kPredicate) lexer_.fail(token, "a guard must be a .pred register");
  return name->unique;
}

std::string Operands::call_variable() {
  const Token token = lexer_.expect_word("the name of a .param or .reg variable");
  if (token.text == "_") return "_";
  const Scopes::Name* name = scopes_.find(token.text);
  if (name == nullptr || (name->kind != Scopes::Kind::kVariable && name->kind != Scopes::Kind::kRegister)) {
    lexer_.fail(token, "'" + std::string(token.text) + "' is not declared");
  }
  return name->unique;
}

}  // namespace roofline::sim::ptx
