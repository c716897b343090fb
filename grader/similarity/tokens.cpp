// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/similarity/tokens.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace roofline::grader {
namespace {

using Words = std::set<std::string_view>;

/// Adding or leaving out one of these changes nothing that a reader would call the program's.
const Words kNothing = {"const",        "constexpr", "static",    "inline",   "volatile",       "register",
                        "mutable",      "extern",    "typename",  "noexcept", "__restrict__",   "__restrict",
                        "restrict",     "consteval", "constinit", "explicit", "__noinline__",   "__inline__",
                        "maybe_unused", "nodiscard", "likely",    "unlikely", "__forceinline__"};

/// Types of one number: i may be an int or a size_t.
const Words kValues = {"bool",     "char",      "short",    "int",     "long",     "float",     "double",
                       "unsigned", "signed",    "auto",     "void",    "size_t",   "ptrdiff_t", "int8_t",
                       "int16_t",  "int32_t",   "int64_t",  "uint8_t", "uint16_t", "uint32_t",  "uint64_t",
                       "uint",     "uintptr_t", "intptr_t", "uchar",   "ushort",   "ulong"};

/// What the language and CUDA call their own; beside these all names that begin as kOfCuda does.
const Words kOwn = {
    "if", "else", "for", "while", "do", "return", "break", "continue", "switch", "case", "default", "goto",
    "struct", "class", "enum", "union", "template", "using", "operator", "new", "delete", "sizeof", "alignas",
    "true", "false", "nullptr", "this", "static_cast", "reinterpret_cast", "const_cast", "static_assert",
    // CUDA
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "dim3", "half", "half2", "float2", "float4",
    "int2", "int4", "uint2", "uint4", "min", "max", "fma", "fmaf", "sin", "cos", "sinf", "cosf", "exp",
    "expf", "sqrt", "sqrtf", "rsqrtf", "tanh", "tanhf", "memcpy", "memset",
    // Tensor Cores and groups
    "fragment", "load_matrix_sync", "store_matrix_sync", "mma_sync", "fill_fragment", "accumulator",
    "matrix_a", "matrix_b", "row_major", "col_major", "this_thread_block", "tiled_partition", "this_grid",
    "sync"};
constexpr std::array<std::string_view, 5> kOfCuda = {"__", "cuda", "cublas", "atomic", "nvrtc"};

/// Longest first.
constexpr std::array<std::string_view, 24> kOperators = {
    "<<<", ">>>", "<<=", ">>=", "...", "<=>", "->", "++", "--", "<<", ">>", "<=",
    ">=",  "==",  "!=",  "&&",  "||",  "+=",  "-=", "*=", "/=", "%=", "&=", "::"};

bool begins_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) { return begins_name(c) || is_digit(c); }

/// FNV-1a.
constexpr std::uint32_t kind_of(std::string_view word) {
  std::uint32_t hash = 2166136261U;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return hash;
}
// No word of a program is spelled like these.
constexpr std::uint32_t kName = kind_of("\1name"), kNumber = kind_of("\1number"),
                        kString = kind_of("\1string"), kValue = kind_of("\1value");

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> all() {
    while (at_ < text_.size()) step();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void step() {
    const char c = peek();
    if (c == '\n') {
      line_begins_ = true;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\\') {
      ++at_;
    } else if (starts("//")) {
      to_end_of_line();
    } else if (starts("/*")) {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == text_.npos ? text_.size() : end + 2;
    } else if (c == '#' && line_begins_) {
      directive();
    } else {
      line_begins_ = false;
      word();
    }
  }

  /// A backslash at its end goes on.
  void to_end_of_line() {
    while (at_ < text_.size() && !(peek() == '\n' && (at_ == 0 || text_[at_ - 1] != '\\'))) ++at_;
  }

  /// What a macro stands for is part of the program.
  void directive() {
    ++at_;
    while (peek() == ' ' || peek() == '\t') ++at_;
    if (starts("define"))
      at_ += 6;
    else
      to_end_of_line();
  }

  void word() {
    const std::size_t begin = at_;
    const char c = peek();
    if (c == 'R' && peek(1) == '"') {
      ++at_;
      raw_string();
      add(kString, begin);
    } else if (begins_name(c)) {
      while (in_name(peek())) ++at_;
      name(begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
      add(kNumber, begin);
    } else if (c == '"' || c == '\'') {
      quoted(c);
      add(c == '"' ? kString : kNumber, begin);
    } else {
      punctuation(begin);
    }
  }

  void name(std::size_t begin) {
    const std::string_view spelled = text_.substr(begin, at_ - begin);
    std::size_t next = at_;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\n')) ++next;
    if (text_.substr(next).starts_with("::")) {  // a namespace, with or without which the name is the same
      at_ = next + 2;
    } else if (kNothing.contains(spelled)) {
    } else if (kValues.contains(spelled)) {  // "unsigned long" is one
      if (!tokens_.empty() && tokens_.back().kind == kValue)
        tokens_.back().end = static_cast<std::uint32_t>(at_);
      else
        add(kValue, begin);
    } else if (spelled == "class") {
      add(kind_of("struct"), begin);
    } else {
      const bool own = kOwn.contains(spelled) || std::ranges::any_of(kOfCuda, [&](std::string_view start) {
                         return spelled.starts_with(start);
                       });
      add(own ? kind_of(spelled) : kName, begin);
    }
  }

  void number() {
    while (in_name(peek()) || peek() == '.' || (peek() == '\'' && in_name(peek(1)))) {
      const bool exponent = peek() == 'e' || peek() == 'E' || peek() == 'p' || peek() == 'P';
      ++at_;
      if (exponent && (peek() == '+' || peek() == '-') && is_digit(peek(1))) ++at_;
    }
  }

  void quoted(char quote) {
    for (++at_; at_ < text_.size() && peek() != quote && peek() != '\n'; ++at_)
      if (peek() == '\\') ++at_;
    at_ = std::min(at_ + (peek() == quote ? 1 : 0), text_.size());
  }

  void raw_string() {
    const std::size_t open = text_.find('(', at_);
    constexpr std::size_t kLongestDelimiter = 17;  // 16 and the quote
    if (open == text_.npos || open - at_ > kLongestDelimiter) return quoted('"');
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    at_ = end == text_.npos ? text_.size() : end + close.size();
  }

  void punctuation(std::size_t begin) {
    const auto known = std::ranges::find_if(kOperators, [&](std::string_view one) { return starts(one); });
    const std::string_view spelled = known == kOperators.end() ? text_.substr(at_, 1) : *known;
    at_ += spelled.size();
    // Brackets around one statement or one product come and go.
    if (spelled == "{" || spelled == "}" || spelled == "(" || spelled == ")" || spelled == "::") return;
    add(kind_of(spelled == "->" ? "." : spelled), begin);
  }

  void add(std::uint32_t kind, std::size_t begin) {
    tokens_.push_back({kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_begins_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Lexer(text).all(); }

}  // namespace roofline::grader
