// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

/// How long a class may take, and a submission of it: an instructor can say when the night ends.
namespace roofline::grader {

/// In seconds; what is not said is empty.
struct ClassLimits {
  std::optional<double> ceiling{};  ///< wall time of one command; what it does not reach, the next one does
  std::optional<double> budget{};   ///< of each submission of a part, all its calls together

  /// `over` where it says something.
  ClassLimits with(const ClassLimits& over) const;
};

/// "2h", "90 min", "45s", "1h30m" in seconds. None for anything else, or nothing above 0.
std::optional<double> parse_duration(std::string_view text);
/// Throws UsageError: `what` is the option or key that holds the text.
double duration_of(const std::string& text, const std::string& what);
/// "1 h 5 min", "2 min", "40 s".
std::string duration(double seconds);

constexpr double kLeastBudget = 60, kMostBudget = 900;  ///< seconds
/// Of a submission, where nobody said: 20 times what the course's own solution took, in whole minutes, so
/// that a machine that is a little slower gives the same.
double budget_for(double own_seconds);

/// When a command has to end, seen while it runs.
class Ceiling {
 public:
  explicit Ceiling(std::optional<double> seconds) : seconds_(seconds) {}
  /// Of the time, for what must still follow: the course's own solution.
  void reserve(double seconds) { reserved_ = seconds; }
  bool reached() const;
  std::optional<double> seconds() const { return seconds_; }

 private:
  std::optional<double> seconds_;
  double reserved_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace roofline::grader
