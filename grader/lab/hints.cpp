// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/hints.h"

#include <algorithm>
#include <sstream>

#include "grader/base/words.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace {

constexpr std::string_view kHeading = "## Hint", kPart = "part ", kParts = "parts ", kTo = " to ";

/// "- " and "1. ": how many characters a list item begins with; 0: no list item.
size_t item_mark(const std::string& line) {
  const size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  if (digits == 0) return line.starts_with("- ") || line.starts_with("* ") ? 2 : 0;
  return line.compare(digits, 2, ". ") == 0 ? digits + 2 : 0;
}

bool keeps_its_lines(const std::string& line) {
  return line.empty() || line.starts_with("    ") || line[0] == '|' || line[0] == '#';
}

/// "part b, ..." is for one part, "parts a to h, ..." for several; all else for every one.
bool is_for(const std::string& title, char letter) {
  const auto letter_at = [&](size_t index) { return index < title.size() ? title[index] : '\0'; };
  if (title.starts_with(kPart)) return title.size() == kPart.size() || letter_at(kPart.size()) == letter;
  const size_t first = kParts.size(), to = first + 1;
  if (!title.starts_with(kParts) || title.compare(to, kTo.size(), kTo) != 0) return true;
  return letter_at(first) <= letter && letter <= letter_at(to + kTo.size());
}

}  // namespace

std::vector<Hint> parse_hints(const std::string& markdown) {
  std::vector<Hint> hints;
  std::istringstream lines(markdown);
  std::string line;
  bool inside = false, code = false;
  while (std::getline(lines, line)) {
    if (line.starts_with("```")) code = !code;
    const bool heading = !code && (line.starts_with("## ") || line.starts_with("# "));
    if (heading) {
      inside = line.starts_with(kHeading);
      if (!inside) continue;
      const size_t number = line.find_first_not_of(" 0123456789", kHeading.size());
      hints.push_back({number == std::string::npos ? "" : trimmed(line.substr(number), ":.- \t\r"), ""});
    } else if (inside) {
      hints.back().text += line + "\n";
    }
  }
  for (Hint& hint : hints) hint.text = trimmed(hint.text, "\n\r");
  return hints;
}

std::vector<Hint> hints_of_part(std::vector<Hint> hints, const std::string& letter) {
  if (letter.empty()) return hints;
  std::erase_if(hints, [&](const Hint& hint) { return !is_for(lower(hint.title), letter[0]); });
  return hints;
}

std::string fitted(const std::string& markdown, int width) {
  std::istringstream all(markdown);
  std::vector<std::string> lines;
  for (std::string line; std::getline(all, line);) lines.push_back(line);
  if (std::ranges::all_of(lines, [&](const std::string& line) { return display_width(line) <= width; }))
    return markdown;
  std::string text, paragraph;
  const auto fill = [&] {
    const std::string indent(item_mark(paragraph), ' ');
    bool first = true;
    for (const std::string& line : wrap(paragraph, width - static_cast<int>(indent.size()))) {
      if (!paragraph.empty()) text += (first ? "" : indent) + line + "\n";
      first = false;
    }
    paragraph.clear();
  };
  bool code = false;
  for (const std::string& line : lines) {
    const bool fence = line.starts_with("```");
    if (code || fence || keeps_its_lines(line)) {
      fill();
      text += line + "\n";
      code = code != fence;
      continue;
    }
    if (item_mark(line) > 0) fill();
    const std::string words = trimmed(line, " ");
    paragraph += (paragraph.empty() ? "" : " ") + words;
  }
  fill();
  return trimmed(text, "\n");
}

}  // namespace roofline::grader
