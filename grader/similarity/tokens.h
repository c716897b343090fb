// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

/// CUDA C++ as a sequence of words from which everything is taken that costs nothing to change.
namespace roofline::grader {

/// A word of a program. Two words of one kind cannot be told apart: all names that somebody chose are one
/// kind, so are all numbers, all strings, and all types of one value; keywords, operators and what CUDA calls
/// its own are a kind each.
struct Token {
  std::uint32_t kind;
  std::uint32_t begin, end;  ///< bytes of the text
};

/// Comments, blanks, brackets, includes, pragmas, namespaces in front of a name, and words such as const
/// leave nothing. Any bytes are a program: what is no C++ gives tokens, too, and a string that nobody closes
/// ends with its line.
std::vector<Token> tokens_of(std::string_view text);

}  // namespace roofline::grader
