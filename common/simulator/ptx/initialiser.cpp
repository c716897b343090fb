// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/initialiser.h"

#include <algorithm>
#include <bit>

#include "simulator/ptx/number.h"

namespace roofline::sim::ptx {
namespace {

using Kind = Token::Kind;

}  // namespace

Initialiser::Initialiser(Lexer& lexer, Variable& variable, std::vector<u64> dimensions,
                         std::vector<ModuleReference>& references, u64 byte_limit)
    : lexer_(lexer),
      variable_(variable),
      dimensions_(std::move(dimensions)),
      references_(references),
      byte_limit_(byte_limit),
      element_bytes_(variable.type.bytes()),
      is_open_(!dimensions_.empty() && dimensions_.front() == 0) {
  // A vector's lanes are one more dimension: .v2 .f32 a[3] = {{1,2},{3,4},{5,6}}.
  if (variable.vector > 1) dimensions_.push_back(variable.vector);
}

void Initialiser::parse() {
  const Token first = lexer_.peek();
  if (variable_.space != Space::kGlobal && variable_.space != Space::kConst) {
    lexer_.fail(first, "only .global and .const variables have an initial value");
  }
  if (variable_.bytes > byte_limit_) lexer_.fail(first, "the module's initial values take too many bytes");
  variable_.initial.resize(variable_.bytes);
  if (dimensions_.empty()) {
    const bool braced = lexer_.accept('{');
    element(0);
    if (braced) lexer_.expect('}', "behind the initial value");
    return;
  }
  lexer_.expect('{', "before the initial values of an array");
  list(0, 0);
  if (is_open_) {
    const u64 entry = stride(0) * element_bytes_;
    variable_.initial.resize((variable_.initial.size() + entry - 1) / entry * entry);
    variable_.bytes = variable_.initial.size();
  }
}

u64 Initialiser::stride(std::size_t depth) const {
  u64 elements = 1;
  for (std::size_t i = depth + 1; i < dimensions_.size(); ++i) elements *= dimensions_[i];
  return std::max<u64>(elements, 1);
}

void Initialiser::list(std::size_t depth, u64 begin) {
  if (lexer_.accept('}')) return;
  const u64 entry = stride(depth);
  u64 next = begin;
  do {
    if (lexer_.peek().is('{')) {
      const Token brace = lexer_.next();
      if (depth + 1 == dimensions_.size()) lexer_.fail(brace, "more braces than the variable has dimensions");
      next = begin + (next - begin + entry - 1) / entry * entry;
      list(depth + 1, next);
      next += entry;
    } else {
      const u64 extent = dimensions_[depth] * entry;
      const bool is_bounded = depth > 0 || !is_open_;
      if (is_bounded && next - begin >= extent)
        lexer_.fail(lexer_.peek(), "more initial values than elements");
      element(next++);
    }
  } while (lexer_.accept(','));
  lexer_.expect('}', "or ',' behind an initial value");
}

void Initialiser::element(u64 index) {
  const u64 at = index * element_bytes_;
  const Token token = lexer_.peek();
  if (token.kind == Kind::kWord) return symbol(at, 0);
  const bool negative = lexer_.accept('-');
  number(at, negative);
}

void Initialiser::number(u64 at, bool negative) {
  const Token token = lexer_.peek();
  const bool is_float =
      variable_.type.kind == Type::Kind::kFloat || variable_.type.kind == Type::Kind::kBFloat;
  if (token.kind == Kind::kInteger) {
    u64 bits = lexer_.expect_integer("a number");
    if (!negative && lexer_.peek().is('(')) {
      lexer_.next();
      symbol(at, bits);
      lexer_.expect(')', "behind the masked address");
      return;
    }
    if (is_float) {
      const double value = static_cast<double>(bits);
      bits = float_bits(token, negative ? -value : value);
    } else if (negative) {
      bits = 0 - bits;
    }
    return store(token, at, bits, variable_.type.bytes());
  }
  if (token.kind != Kind::kHexFloat && token.kind != Kind::kDecimal) lexer_.fail_expected("an initial value");
  lexer_.next();
  const FloatLiteral literal = float_literal(token.text);
  if (!literal.is_valid) lexer_.fail(token, "malformed number");
  const double value = negative ? -literal.value : literal.value;
  // The image is taken over as it is where it fits, so that the payload of a NaN survives.
  const bool same_width = literal.is_single ? variable_.type.bits == 32 : variable_.type.bits == 64;
  if (token.kind == Kind::kHexFloat && same_width && !negative) {
    return store(token, at, literal.bits, variable_.type.bytes());
  }
  if (!is_float) lexer_.fail(token, "a floating-point value for a variable that is not .f32 or .f64");
  store(token, at, float_bits(token, value), variable_.type.bytes());
}

u64 Initialiser::float_bits(const Token& token, double value) const {
  if (variable_.type.bits == 64) return std::bit_cast<u64>(value);
  if (variable_.type.bits == 32 && variable_.type.lanes == 1)
    return std::bit_cast<u32>(static_cast<float>(value));
  lexer_.fail(token, "a 16-bit float takes its initial value as a .b16 image");
}

void Initialiser::symbol(u64 at, u64 mask) {
  Token name = lexer_.expect_word("the name of a variable or function");
  Variable::Relocation relocation{at, {}, 0, variable_.type.bytes(), 0, false};
  if (name.text == "generic" && lexer_.accept('(')) {
    relocation.generic = true;
    name = lexer_.expect_word("the name of a variable");
    relocation.addend = addend();
    lexer_.expect(')', "behind generic(name");
  }
  relocation.addend = static_cast<s64>(static_cast<u64>(relocation.addend) + static_cast<u64>(addend()));
  relocation.symbol = name.text;
  if (mask != 0) {
    relocation.shift = static_cast<u32>(std::countr_zero(mask));
    relocation.size = 1;
    if ((mask >> relocation.shift) != 0xff || relocation.shift % 8 != 0) {
      lexer_.fail(name, "the mask of an address must select one byte, such as 0xff00(name)");
    }
  } else if (relocation.size < 4) {
    lexer_.fail(name, "an address does not fit; use a mask such as 0xff(name)");
  }
  references_.push_back({name.text, name.at});
  store(name, at, 0, relocation.size);
  variable_.relocations.push_back(std::move(relocation));
}

s64 Initialiser::addend() {
  bool negative = false;
  if (lexer_.accept('+')) {
    negative = lexer_.accept('-');
  } else if (lexer_.accept('-')) {
    negative = true;
  } else {
    return 0;
  }
  const u64 value = lexer_.expect_integer("an offset");
  return static_cast<s64>(negative ? 0 - value : value);
}

void Initialiser::store(const Token& token, u64 at, u64 bits, u32 bytes) {
  if (at + bytes > variable_.initial.size()) {
    if (!is_open_) lexer_.fail(token, "more initial values than elements");
    if (at + bytes > byte_limit_) lexer_.fail(token, "the module's initial values take too many bytes");
    variable_.initial.resize(at + bytes);
  }
  for (u32 i = 0; i < bytes && i < 8; ++i) variable_.initial[at + i] = static_cast<u8>(bits >> (8 * i));
}

}  // namespace roofline::sim::ptx
