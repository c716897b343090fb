// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/ptx/syntax_error.h"

#include <algorithm>

#include "simulator/ptx/load_error.h"

namespace roofline::sim::ptx {
namespace {

constexpr std::size_t kShownBefore = 90;
constexpr std::size_t kShownLine = 140;

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c == '\t') c = ' ';
    if (static_cast<u8>(c) < 0x20 || static_cast<u8>(c) == 0x7f) c = '?';
  }
  return result;
}

}  // namespace

std::string show_error(std::string_view name, TextPosition at, std::size_t length, std::string_view line,
                       std::string_view message) {
  std::size_t before = at.column == 0 ? 0 : std::min<std::size_t>(at.column - 1, line.size());
  std::string lead;
  if (before > kShownBefore) {
    const std::size_t cut = before - kShownBefore;
    line.remove_prefix(cut);
    before -= cut;
    lead = "...";
  }
  const std::string number = std::to_string(at.line);
  const std::size_t width = std::max<std::size_t>(number.size(), 5);
  std::string text =
      std::string(name) + ":" + number + ":" + std::to_string(at.column) + ": error: " + printable(message);
  text += "\n" + std::string(width - number.size(), ' ') + number + " | " + lead +
          printable(line.substr(0, kShownLine));
  const std::size_t room =
      std::min(line.size(), kShownLine) - std::min(before, std::min(line.size(), kShownLine));
  const std::size_t tail = std::min(length, std::max<std::size_t>(room, 1));
  text += "\n" + std::string(width, ' ') + " | " + std::string(lead.size() + before, ' ') + "^";
  if (tail > 1) text += std::string(tail - 1, '~');
  return text;
}

void throw_syntax_error(std::string_view name, TextPosition at, std::size_t length, std::string_view line,
                        std::string_view message) {
  LoadError error(show_error(name, at, length, line, message));
  error.at = at;
  throw error;
}

}  // namespace roofline::sim::ptx
