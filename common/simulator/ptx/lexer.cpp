// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/lexer.h"

#include <array>
#include <charconv>
#include <cstring>

#include "simulator/ptx/syntax_error.h"

namespace roofline::sim::ptx {
namespace {

using Kind = Token::Kind;

enum CharacterClass : u8 { kWordStart = 1, kWordPart = 2, kDigit = 4, kBlank = 8, kHex = 16 };

constexpr std::array<u8, 256> make_classes() {
  std::array<u8, 256> classes{};
  for (unsigned c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (letter || c == '_' || c == '$' || c == '%') classes[c] |= kWordStart;
    if (letter || digit || c == '_' || c == '$') classes[c] |= kWordPart;
    if (digit) classes[c] |= kDigit;
    if (digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')) classes[c] |= kHex;
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f') classes[c] |= kBlank;
  }
  return classes;
}
constexpr std::array<u8, 256> kClasses = make_classes();

bool is(char c, unsigned character_class) { return (kClasses[static_cast<u8>(c)] & character_class) != 0; }

const char* skip(const char* from, const char* end, unsigned character_class) {
  while (from != end && is(*from, character_class)) ++from;
  return from;
}

std::string_view without_trailing_zeros(std::string_view text) {
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

}  // namespace

bool integer_value(std::string_view text, u64& value) {
  if (!text.empty() && (text.back() == 'U' || text.back() == 'u')) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char second = text[1];
    base = second == 'x' || second == 'X' ? 16 : second == 'b' || second == 'B' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && stop == text.data() + text.size();
}

Lexer::Lexer(std::string_view text, std::string_view name)
    : text_(without_trailing_zeros(text)),
      name_(name),
      cursor_(text_.data()),
      end_(text_.data() + text_.size()),
      line_start_(cursor_) {
  scan();
}

bool Lexer::accept(char mark) {
  if (!token_.is(mark)) return false;
  scan();
  return true;
}

bool Lexer::accept(std::string_view dot_word) {
  if (token_.kind != Kind::kDotWord || token_.text != dot_word) return false;
  scan();
  return true;
}

Token Lexer::expect(char mark, std::string_view context) {
  if (!token_.is(mark)) {
    std::string what = "'?' ";
    what[1] = mark;
    fail_expected(what.append(context));
  }
  return next();
}

Token Lexer::expect_word(std::string_view what) {
  if (token_.kind != Kind::kWord) fail_expected(what);
  return next();
}

u64 Lexer::expect_integer(std::string_view what) {
  if (token_.kind != Kind::kInteger) fail_expected(what);
  u64 value = 0;
  if (!integer_value(token_.text, value)) fail(token_, "malformed integer, or one of more than 64 bits");
  scan();
  return value;
}

u32 Lexer::expect_count(std::string_view what, u32 limit) {
  const Token token = token_;
  const u64 value = expect_integer(what);
  if (value > limit) fail(token, std::string(what) + " must be at most " + std::to_string(limit));
  return static_cast<u32>(value);
}

void Lexer::skip_block(const Token& open) {
  // token_ may already lie behind the '}' or open a string, so reading starts again at the '{'.
  cursor_ = open.text.data() + 1;
  line_ = open.at.line;
  line_start_ = open.text.data() - (open.at.column - 1);
  for (u32 depth = 1; cursor_ != end_; ++cursor_) {
    const char c = *cursor_;
    if (c == '\n') {
      ++line_;
      line_start_ = cursor_ + 1;
    } else if (c == '{') {
      ++depth;
    } else if (c == '"') {
      const void* close = std::memchr(cursor_ + 1, '"', static_cast<std::size_t>(end_ - cursor_ - 1));
      if (close == nullptr) break;
      cursor_ = static_cast<const char*>(close);
    } else if (c == '}' && --depth == 0) {
      ++cursor_;
      scan();
      return;
    }
  }
  fail(open, "this '{' is never closed");
}

void Lexer::fail(const Token& token, const std::string& message) const {
  throw_syntax_error(name_, token.at, token.text.size(), line_at(token.at.line), message);
}

void Lexer::fail(TextPosition at, const std::string& message) const {
  throw_syntax_error(name_, at, 1, line_at(at.line), message);
}

void Lexer::fail_expected(std::string_view what) const {
  const std::string found =
      at_end() ? "the end of the text" : "'" + std::string(token_.text.substr(0, 80)) + "'";
  fail(token_, "expected " + std::string(what) + ", found " + found);
}

void Lexer::fail_here(std::size_t length, const std::string& message) {
  token_ = {Kind::kMark, std::string_view(cursor_, length), here()};
  fail(token_, message);
}

std::string_view Lexer::line_at(u32 number) const {
  std::string_view rest = text_;
  for (u32 line = 1; line < number; ++line) {
    const std::size_t stop = rest.find('\n');
    if (stop == rest.npos) return {};
    rest.remove_prefix(stop + 1);
  }
  return rest.substr(0, rest.find('\n'));
}

void Lexer::skip_blanks() {
  while (cursor_ != end_) {
    const char c = *cursor_;
    const bool at_line_start = cursor_ == line_start_;
    if (c == '\n') {
      ++cursor_;
      ++line_;
      line_start_ = cursor_;
    } else if (is(c, kBlank)) {
      ++cursor_;
    } else if (c == '/' && cursor_ + 1 != end_ && (cursor_[1] == '/' || cursor_[1] == '*')) {
      skip_comment();
    } else if (at_line_start && (c == '#' || (c == '@' && cursor_ + 1 != end_ && cursor_[1] == '@'))) {
      // A preprocessor's line marker, or the "@@DWARF" lines of old compilers.
      while (cursor_ != end_ && *cursor_ != '\n') ++cursor_;
    } else {
      return;
    }
  }
}

void Lexer::skip_comment() {
  if (cursor_[1] == '/') {
    const void* stop = std::memchr(cursor_, '\n', static_cast<std::size_t>(end_ - cursor_));
    cursor_ = stop == nullptr ? end_ : static_cast<const char*>(stop);
    return;
  }
  const Token open{Kind::kMark, std::string_view(cursor_, 2), here()};
  for (cursor_ += 2; cursor_ != end_; ++cursor_) {
    if (*cursor_ == '\n') {
      ++line_;
      line_start_ = cursor_ + 1;
    } else if (*cursor_ == '*' && cursor_ + 1 != end_ && cursor_[1] == '/') {
      cursor_ += 2;
      return;
    }
  }
  fail(open, "this comment is never closed");
}

void Lexer::take(Kind kind, const char* end) {
  token_ = {kind, std::string_view(cursor_, static_cast<std::size_t>(end - cursor_)), here()};
  cursor_ = end;
}

void Lexer::scan() {
  skip_blanks();
  if (cursor_ == end_) return take(Kind::kEnd, end_);
  const char c = *cursor_;
  if (is(c, kWordStart)) return take(Kind::kWord, skip(cursor_ + 1, end_, kWordPart));
  if (c == '.') {
    const char* stop = skip(cursor_ + 1, end_, kWordPart);
    while (end_ - stop > 2 && stop[0] == ':' && stop[1] == ':' && is(stop[2], kWordPart)) {
      stop = skip(stop + 2, end_, kWordPart);
    }
    if (stop == cursor_ + 1) fail_here(1, "a '.' with no name behind it");
    return take(Kind::kDotWord, stop);
  }
  if (is(c, kDigit)) return scan_number();
  if (c == '"') return scan_string();
  if (std::memchr(",;:{}[]()+-!|@<>=", c, 17) != nullptr) return take(Kind::kMark, cursor_ + 1);
  fail_here(1, "this character has no meaning in PTX");
}

void Lexer::scan_number() {
  const char* stop = cursor_ + 1;
  Kind kind = Kind::kInteger;
  const char marker = *cursor_ == '0' && stop != end_ ? static_cast<char>(*stop | 0x20) : '\0';
  if (marker == 'f' || marker == 'd') {
    kind = Kind::kHexFloat;
    stop = skip(stop + 1, end_, kHex);
    if (stop - cursor_ != (marker == 'f' ? 10 : 18)) {
      fail_here(static_cast<std::size_t>(stop - cursor_), marker == 'f'
                                                              ? "0f takes exactly 8 hexadecimal digits"
                                                              : "0d takes exactly 16 hexadecimal digits");
    }
  } else if (marker == 'x') {
    stop = skip(stop + 1, end_, kHex);
  } else if (marker == 'b') {
    stop = skip(stop + 1, end_, kDigit);
  } else {
    stop = skip(stop, end_, kDigit);
    if (stop != end_ && *stop == '.') {
      kind = Kind::kDecimal;
      stop = skip(stop + 1, end_, kDigit);
    }
    if (stop != end_ && (*stop | 0x20) == 'e') {
      const char* exponent = stop + 1;
      if (exponent != end_ && (*exponent == '+' || *exponent == '-')) ++exponent;
      if (exponent != end_ && is(*exponent, kDigit)) {
        kind = Kind::kDecimal;
        stop = skip(exponent, end_, kDigit);
      }
    }
  }
  if (kind == Kind::kInteger && stop != end_ && (*stop | 0x20) == 'u') ++stop;
  if (stop != end_ && is(*stop, kWordPart)) {
    const char* rest = skip(stop, end_, kWordPart);
    fail_here(static_cast<std::size_t>(rest - cursor_), "malformed number");
  }
  take(kind, stop);
}

void Lexer::scan_string() {
  const char* stop = cursor_ + 1;
  while (stop != end_ && *stop != '"' && *stop != '\n') ++stop;
  if (stop == end_ || *stop == '\n') fail_here(1, "this string is never closed");
  take(Kind::kString, stop + 1);
}

}  // namespace roofline::sim::ptx
