// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/base/xml.h"

namespace roofline::grader {
namespace {

/// U+202A to U+202E, U+2066 to U+2069: text after one of these may show as what it is not, code for example.
bool turns_text(std::string_view three) {
  return (three >= "\xe2\x80\xaa" && three <= "\xe2\x80\xae") ||
         (three >= "\xe2\x81\xa6" && three <= "\xe2\x81\xa9");
}

}  // namespace

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view three = text.substr(i, 3);
    if (three == "\xef\xbf\xbe" || three == "\xef\xbf\xbf" || turns_text(three)) {
      out += '?';
      i += 2;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
      out += c;
    }
  }
  return out;
}

}  // namespace roofline::grader
