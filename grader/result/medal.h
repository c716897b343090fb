// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

/// The medals, listed once: kMedals. All else goes over that list.
namespace roofline::grader {

enum class Medal : std::uint8_t { kNone, kPass, kGood, kExcellent };

/// A number for each medal: the fraction of a roof that earns it, or the points that it gives.
struct PerMedal {
  double pass = 0, good = 0, excellent = 0;
  double lowest() const;   ///< of the medal that is earned first
  double highest() const;  ///< of the best
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

std::string_view name_of(Medal medal);  ///< "" for kNone
/// The best medal whose threshold, and those of all before it, `fraction` reaches; none for NaN.
Medal medal_for(double fraction, const PerMedal& thresholds);

}  // namespace roofline::grader
