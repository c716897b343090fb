// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/watch_text.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/result/result_text.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace {

constexpr int kIndent = 10;  // under the first word after the time of day

std::string time_of_day() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

std::string one_decimal(double value) { return format_number("%.1f", value); }

struct Cases {
  size_t right = 0, wrong = 0, waiting = 0;
  const Check* first = nullptr;   ///< that is wrong
  std::vector<std::string> told;  ///< kinds of mistakes that the right ones cover
};

Cases count(const Result& result) {
  Cases cases;
  for (const Check& check : result.checks) {
    if (check.verdict == Verdict::kFail || check.verdict == Verdict::kError)
      cases.first = cases.first ? cases.first : &check;
    if (check.kind != CheckKind::kCorrectness) continue;
    cases.right += check.verdict == Verdict::kPass;
    cases.wrong += check.verdict == Verdict::kFail;
    cases.waiting += check.verdict == Verdict::kSkipped && check.reason == Class::kNone;
    if (check.verdict != Verdict::kPass) continue;
    for (const auto& [key, value] : check.detail)
      if (const auto* text = std::get_if<std::string>(&value);
          key == "tells" && text != nullptr && std::ranges::find(cases.told, *text) == cases.told.end())
        cases.told.push_back(*text);
  }
  return cases;
}

std::string of_cases(const Cases& cases) {
  const size_t all = cases.right + cases.wrong;
  return std::to_string(cases.wrong) + " of " + std::to_string(all) + (all == 1 ? " case" : " cases");
}

/// "covered: an empty array, unaligned pointers".
std::string covered_text(const Cases& cases) {
  std::string text;
  for (const std::string& told : cases.told) text += (text.empty() ? "covered: " : ", ") + printable(told);
  return text;
}

/// One line: the verdict, and how far it reaches.
std::string headline(const Result& result, const Cases& cases, const Terminal& terminal) {
  if (result.verdict == Verdict::kPass || right_not_timed(result)) {
    const std::string right = std::string(terminal.either("✓", "+")) + " right";
    return terminal.paint(Colour::kGreen, right) + " in " + std::to_string(cases.right) + " small cases";
  }
  std::string text = terminal.paint(result.verdict == Verdict::kFail ? Colour::kRed : Colour::kYellow,
                                    result.verdict == Verdict::kFail ? terminal.either("✗", "x") : "!") +
                     " " + verdict_text(result.verdict, result.reason, terminal);
  if (cases.wrong > 0 && result.reason != Class::kNotImplemented) text += " in " + of_cases(cases);
  return text;
}

/// "was wrong-answer in 5 of 14 cases", "was 62.1 % of the roof".
std::string before_text(const Result& now, const Attempt* last, const Terminal& terminal) {
  if (last == nullptr) return {};
  const Result& then = last->result;
  const Cases cases = count(then);
  const bool was_right = then.verdict == Verdict::kPass || right_not_timed(then);
  if (was_right && right_not_timed(now)) return {};
  if (was_right) return "was right before this change";
  std::string text = "was " + verdict_text(then.verdict, then.reason, terminal);
  return cases.wrong > 0 && then.reason != Class::kNotImplemented ? text + " in " + of_cases(cases) : text;
}

std::string best_text(const Attempt* best, const Terminal& terminal) {
  if (best == nullptr || !best->timed()) return {};
  std::string text =
      "best so far " + std::string(best->result.medal == Medal::kNone
                                       ? verdict_text(best->result.verdict, best->result.reason, terminal)
                                       : terminal.paint(Colour::kGreen, name_of(best->result.medal)));
  for (const Measurement& m : best->result.measurements)
    if (m.fraction > 0) text += ", " + m.id + " " + one_decimal(100 * m.fraction) + " %";
  return text;
}

std::string indented(const std::string& text, const Terminal& terminal) {
  std::string all;
  for (const std::string& line : wrap(text, std::max(20, terminal.width - kIndent)))
    all += std::string(kIndent, ' ') + line + "\n";
  return all;
}

}  // namespace

std::string quick_text(const Result& result, const std::vector<Attempt>& before, double seconds,
                       const Terminal& terminal) {
  const Cases cases = count(result);
  const bool right = result.verdict == Verdict::kPass || right_not_timed(result);
  std::string text = terminal.paint(Colour::kDim, time_of_day()) + "  " + headline(result, cases, terminal) +
                     terminal.paint(Colour::kDim, "  " + one_decimal(seconds) + " s") + "\n";
  if (cases.first != nullptr) {
    const Check& check = *cases.first;
    std::string message = message_of(check, result);
    if (check.kind == CheckKind::kCorrectness && result.reason != Class::kNotImplemented)
      message = printable(check.title) + ": " + message;
    text += indented(message, terminal);
  }
  std::string change = before_text(result, last_of(before, result.device), terminal);
  if (right) {
    if (const std::string covered = covered_text(cases); !covered.empty())
      text += indented(covered, terminal);
    const std::string best = best_text(best_of(before, result.device), terminal);
    if (!best.empty()) change += (change.empty() ? "" : "; ") + best;
    change +=
        (change.empty() ? "" : "; ") + terminal.paint(Colour::kBold, "p") + ": every case, and the speed";
  }
  if (!change.empty()) text += indented(change, terminal);
  text += output_text(result, terminal, kIndent);
  return text + "\n";  // editors take an empty line for the end of a check (.vscode/tasks.json)
}

std::string keys_text(const Terminal& terminal) {
  constexpr int kKeysIndent = 10;
  std::string text, line;
  const auto end_line = [&] {
    text += (text.empty() ? "  keys    " : std::string(kKeysIndent, ' ')) + line + "\n";
    line.clear();
  };
  for (const auto& [key, what] : {std::pair{"p", "performance"},
                                  {"h", "hint"},
                                  {"n", "next lab"},
                                  {"l", "list"},
                                  {"r", "reset"},
                                  {"o", "report"},
                                  {"q", "quit"},
                                  {"?", "keys"}}) {
    const std::string entry = terminal.paint(Colour::kBold, key) + " " + what;
    if (!line.empty() && kKeysIndent + display_width(line + "  " + entry) > terminal.width) end_line();
    line += (line.empty() ? "" : "  ") + entry;
  }
  end_line();
  return text;
}

}  // namespace roofline::grader
