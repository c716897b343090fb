// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/text/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "grader/base/printable.h"
#include "grader/base/words.h"

namespace roofline::grader {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = lower(environment(name));
    if (value.empty()) continue;  // the first that is set decides
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
    at += std::max<size_t>(1, utf8_length(text, at));
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

}  // namespace roofline::grader
