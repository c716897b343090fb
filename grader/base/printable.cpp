// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/printable.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

namespace roofline::grader {
namespace {

std::uint32_t code_point(std::string_view text, std::size_t at, std::size_t length) {
  const auto lead = static_cast<unsigned char>(text[at]);
  std::uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
  return code;
}

bool is_shown(std::uint32_t code) {
  if (code == '\n' || code == '\t') return true;
  struct Range {
    std::uint32_t first, last;
  };
  static constexpr Range kNotShown[] = {
      {0, 0x1f},        {0x7f, 0x9f},                                                // controls
      {0x61c, 0x61c},   {0x200e, 0x200f},   {0x2028, 0x202e},   {0x2066, 0x2069},    // direction, lines
      {0x200b, 0x200d}, {0x2060, 0x206f},   {0xfeff, 0xfeff},   {0xad, 0xad},        // without width
      {0x34f, 0x34f},   {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},    // fillers, selectors
      {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},    //
      {0x2800, 0x2800}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},  //
      {0xe000, 0xf8ff}, {0xf0000, 0x10ffff}};                                        // private use
  return std::ranges::none_of(kNotShown, [&](Range r) { return r.first <= code && code <= r.last; });
}

/// Runners of continuous integration obey some lines of what a program prints: `::name::` where a line begins
/// (GitHub), `##vso[`, `##[` and `##teamcity[` anywhere in it (Azure, GitHub, TeamCity).
void disarm(std::string& text) {
  for (size_t at = text.find("##"); at != std::string::npos; at = text.find("##", at + 1)) {
    size_t end = at + 2;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end < text.size() && text[end] == '[') text.insert(at + 1, " ");
  }
  for (size_t line = 0; line < text.size();) {
    const size_t first = std::min(text.find_first_not_of(" \t", line), text.size());
    if (text.compare(first, 2, "::") == 0) text.insert(first + 1, " ");
    const size_t end = text.find('\n', first);
    line = end == std::string::npos ? text.size() : end + 1;
  }
}

}  // namespace

size_t utf8_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xc2 && first < 0xe0   ? 2
                        : first >= 0xe0 && first < 0xf0 ? 3
                        : first >= 0xf0 && first < 0xf5 ? 4
                                                        : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates and values past U+10FFFF are not characters.
  if (first == 0xe0 && byte(at + 1) < 0xa0) return 0;
  if (first == 0xed && byte(at + 1) >= 0xa0) return 0;
  if (first == 0xf0 && byte(at + 1) < 0x90) return 0;
  if (first == 0xf4 && byte(at + 1) >= 0x90) return 0;
  return length;
}

size_t skip_escape(std::string_view text, size_t at) {
  ++at;
  if (at < text.size() && text[at] == '[') {
    ++at;
    while (at < text.size() && !std::isalpha(static_cast<unsigned char>(text[at]))) ++at;
  } else if (at < text.size() && text[at] == ']') {  // window titles and links: up to BEL or ESC
    while (at < text.size() && text[at] != '\a' && text[at] != '\033') ++at;
  }
  return std::min(at + 1, text.size());
}

std::string printable(std::string_view text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\033') {
      at = skip_escape(text, at);
      continue;
    }
    const size_t length = utf8_length(text, at);
    if (length == 0 || !is_shown(code_point(text, at, length))) {
      if (text[at] != '\r') shown += '?';
    } else {
      shown.append(text.substr(at, length));
    }
    at += std::max<size_t>(1, length);
  }
  disarm(shown);
  return shown;
}

}  // namespace roofline::grader
