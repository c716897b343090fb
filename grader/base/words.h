// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace roofline::grader {

/// ASCII letters in lower case.
inline std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Without these characters at both ends: white space, if nothing is said.
inline std::string trimmed(const std::string& text, const char* characters = " \t\r\n") {
  const std::size_t begin = text.find_first_not_of(characters);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(characters) - begin + 1);
}

/// `what`, wherever it is, becomes `with`.
inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// In single quotes, for a shell.
inline std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace roofline::grader
