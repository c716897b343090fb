// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/hints.h"

#include <sstream>

namespace roofline::grader {
namespace {

constexpr std::string_view kHeading = "## Hint";

std::string trimmed(const std::string& text, const char* what) {
  const size_t begin = text.find_first_not_of(what);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(what) - begin + 1);
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

}  // namespace roofline::grader
