// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

/// The medals, listed once: kMedals. Code goes over that list. By hand remain: points (`Points` in
/// lab/spec.h), thresholds in every spec.cpp, the schema in formats/, a colour in report/report_page.css, and
/// pages.
namespace roofline::grader {

enum class Medal : std::uint8_t { kNone, kPass, kGood, kExcellent };

/// A number for each medal: the fraction of a roof that earns it, or the points that it gives. One that is
/// not given is no number: a threshold that a lab forgot is never reached.
struct PerMedal {
  double pass = kNotGiven, good = kNotGiven, excellent = kNotGiven;
  static constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();
  static PerMedal zeros();  ///< thresholds that ask for nothing, or no points
  double lowest() const;    ///< of the medal that is earned first
  double highest() const;   ///< of the best
  double sum() const;
  bool operator==(const PerMedal&) const = default;
};

struct MedalRow {
  Medal medal;
  std::string_view name;  ///< as specs, results and course files spell it
  double PerMedal::*value;
};
/// In the order in which they are earned.
inline constexpr MedalRow kMedals[] = {{Medal::kPass, "pass", &PerMedal::pass},
                                       {Medal::kGood, "good", &PerMedal::good},
                                       {Medal::kExcellent, "excellent", &PerMedal::excellent}};
inline constexpr Medal kBestMedal = std::rbegin(kMedals)->medal;

std::string_view name_of(Medal medal);  ///< "" for kNone
std::string medal_names();              ///< "pass, good, excellent"
/// The best medal whose threshold, and those of all before it, `fraction` reaches; none for NaN.
Medal medal_for(double fraction, const PerMedal& thresholds);

}  // namespace roofline::grader
