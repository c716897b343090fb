// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/ceiling.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "grader/base/error.h"

namespace roofline::grader {
namespace {

constexpr double kTimesOwn = 20;
constexpr double kMostSeconds = 1e7;  // months: more is a mistake

double unit_of(std::string_view name) {
  if (name == "s") return 1;
  if (name == "m" || name == "min") return 60;
  return name == "h" ? 3600 : 0;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

ClassLimits ClassLimits::with(const ClassLimits& over) const {
  return {.ceiling = over.ceiling ? over.ceiling : ceiling, .budget = over.budget ? over.budget : budget};
}

std::optional<double> parse_duration(std::string_view text) {
  double seconds = 0, last = HUGE_VAL;  // the unit before: units fall, none comes twice
  for (text = without_spaces(text); !text.empty(); text = without_spaces(text)) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !(number >= 0)) return std::nullopt;
    text = without_spaces(text.substr(static_cast<std::size_t>(end - text.data())));
    const std::string_view name = text.substr(0, text.find_first_of(" 0123456789"));
    const double unit = unit_of(name);
    if (unit == 0 || unit >= last) return std::nullopt;
    seconds += number * unit;
    last = unit;
    text.remove_prefix(name.size());
  }
  return seconds > 0 && seconds <= kMostSeconds ? std::optional(seconds) : std::nullopt;
}

double duration_of(const std::string& text, const std::string& what) {
  const std::optional<double> seconds = parse_duration(text);
  if (!seconds) throw UsageError(what + " is no time such as \"2h\", \"1h30m\", \"90 min\" or \"45s\"");
  return *seconds;
}

std::string duration(double seconds) {
  const auto all = std::lround(seconds);
  if (all < 90) return std::to_string(all) + " s";
  const long minutes = (all + 30) / 60;
  if (minutes < 60) return std::to_string(minutes) + " min";
  const std::string hours = std::to_string(minutes / 60) + " h";
  return minutes % 60 == 0 ? hours : hours + " " + std::to_string(minutes % 60) + " min";
}

double budget_for(double own_seconds) {
  return std::clamp(60 * std::ceil(kTimesOwn * own_seconds / 60), kLeastBudget, kMostBudget);
}

bool Ceiling::reached() const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
  return seconds_ && spent.count() + reserved_ >= *seconds_;
}

}  // namespace roofline::grader
