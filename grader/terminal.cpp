// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace roofline::grader {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;  // the first that is set decides
    std::transform(value.begin(), value.end(), value.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
  }
  return false;
}

int columns(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const int asked = std::atoi(environment("COLUMNS").c_str());
  return asked > 0 ? asked : 120;
}

const char* code(Colour colour) {
  switch (colour) {
    case Colour::kBold:
      return "\033[1m";
    case Colour::kDim:
      return "\033[2m";
    case Colour::kRed:
      return "\033[31m";
    case Colour::kGreen:
      return "\033[32m";
    case Colour::kYellow:
      return "\033[33m";
    case Colour::kBlue:
      return "\033[34m";
    case Colour::kPlain:
      break;
  }
  return "";
}

/// Length of the UTF-8 sequence that starts at `at`, 0 when it is not one.
size_t sequence_length(std::string_view text, size_t at) {
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

/// Index after the escape sequence that starts at `at` (text[at] is ESC).
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

}  // namespace

Terminal Terminal::of(int fd) {
  Terminal terminal;
  terminal.interactive = isatty(fd) == 1;
  terminal.utf8 = locale_is_utf8();
  terminal.colour = terminal.interactive && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  terminal.width = terminal.interactive ? std::max(40, columns(fd)) : 120;
  return terminal;
}

std::string Terminal::paint(Colour which, std::string_view text) const {
  if (!colour || which == Colour::kPlain || text.empty()) return std::string(text);
  return code(which) + std::string(text) + "\033[0m";
}

int display_width(std::string_view text) {
  int width = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\033') {
      at = skip_escape(text, at);
      continue;
    }
    at += std::max<size_t>(1, sequence_length(text, at));
    ++width;
  }
  return width;
}

std::string pad_right(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(text) + std::string(static_cast<size_t>(missing), ' ');
}

std::string pad_left(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(static_cast<size_t>(missing), ' ') + std::string(text);
}

std::string printable(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\033') {
      at = skip_escape(text, at);
      continue;
    }
    const size_t length = sequence_length(text, at);
    const auto byte = static_cast<unsigned char>(text[at]);
    // U+0080..U+009F are control characters too: some terminals obey them.
    const bool c1 = length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if (length == 0) {
      out += '?';
    } else if (length > 1 ? !c1 : (byte >= 0x20 && byte != 0x7f) || byte == '\n' || byte == '\t') {
      out.append(text.substr(at, length));
    }
    at += std::max<size_t>(1, length);
  }
  return out;
}

}  // namespace roofline::grader
