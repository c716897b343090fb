// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "simulator/ptx/module.h"

namespace roofline::sim::ptx {

/// A piece of PTX text. `text` points into the text that the Lexer was given.
struct Token {
  enum class Kind : u8 {
    kEnd,
    kWord,      ///< add, %r1, $L__BB0_1, WARP_SZ
    kDotWord,   ///< .global, .v4, .shared::cta, .2d: directives and modifiers, with the dot
    kInteger,   ///< 12, 0x1F, 017, 0b101, with or without U
    kHexFloat,  ///< 0f3F800000, 0d3FF0000000000000
    kDecimal,   ///< 1.5, 1e-3, 9.0
    kString,    ///< "...", with its quotes
    kMark       ///< one character: , ; : { } [ ] ( ) + - ! | @ < > =
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  TextPosition at;
  bool is(char mark) const { return kind == Kind::kMark && text.front() == mark; }
};

/// Cuts PTX text into tokens, one ahead. All ways to ask for something that is not there throw LoadError.
class Lexer {
 public:
  /// Both must outlive the lexer.
  Lexer(std::string_view text, std::string_view name);

  const Token& peek() const { return token_; }
  bool at_end() const { return token_.kind == Token::Kind::kEnd; }
  /// Takes the token that peek() shows.
  Token next() {
    const Token taken = token_;
    scan();
    return taken;
  }
  /// Takes the next token if it is this mark, or this dot word.
  bool accept(char mark);
  bool accept(std::string_view dot_word);
  /// Takes the next token, which must be this mark; otherwise "expected ',' <context>".
  Token expect(char mark, std::string_view context);
  /// Takes a name: "expected <what>" otherwise.
  Token expect_word(std::string_view what);
  /// Takes an integer literal and returns its value.
  u64 expect_integer(std::string_view what);
  /// As expect_integer, and the value must be at most `limit`.
  u32 expect_count(std::string_view what, u32 limit);

  /// Goes behind the '}' that closes the '{' just taken, without making tokens of what lies between.
  void skip_block(const Token& open);

  /// \throws LoadError "name:line:column: error: message", the line, and a caret under the token.
  [[noreturn]] void fail(const Token& token, const std::string& message) const;
  [[noreturn]] void fail(TextPosition at, const std::string& message) const;
  /// "expected <what>, found 'x'".
  [[noreturn]] void fail_expected(std::string_view what) const;

 private:
  void scan();
  void skip_blanks();
  void skip_comment();
  void scan_number();
  void scan_string();
  void take(Token::Kind kind, const char* end);
  std::string_view line_at(u32 number) const;
  [[noreturn]] void fail_here(std::size_t length, const std::string& message);
  TextPosition here() const { return {line_, static_cast<u32>(cursor_ - line_start_) + 1}; }

  std::string_view text_, name_;
  const char* cursor_;
  const char* end_;
  const char* line_start_;
  u32 line_ = 1;
  Token token_;
};

/// The value of a kInteger token's text; false when it does not fit in 64 bits or has a wrong digit.
bool integer_value(std::string_view text, u64& value);

}  // namespace roofline::sim::ptx
