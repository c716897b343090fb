// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/medal.h"

namespace roofline::grader {

PerMedal PerMedal::zeros() {
  PerMedal zeros;
  for (const MedalRow& row : kMedals) zeros.*row.value = 0;
  return zeros;
}

double PerMedal::lowest() const { return this->*std::begin(kMedals)->value; }

double PerMedal::highest() const { return this->*std::rbegin(kMedals)->value; }

double PerMedal::sum() const {
  double sum = 0;
  for (const MedalRow& row : kMedals) sum += this->*row.value;
  return sum;
}

std::string_view name_of(Medal medal) {
  for (const MedalRow& row : kMedals)
    if (row.medal == medal) return row.name;
  return "";
}

std::string medal_names() {
  std::string names;
  for (const MedalRow& row : kMedals) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

Medal medal_for(double fraction, const PerMedal& thresholds) {
  Medal earned = Medal::kNone;
  for (const MedalRow& row : kMedals) {
    if (!(fraction >= thresholds.*row.value)) break;
    earned = row.medal;
  }
  return earned;
}

}  // namespace roofline::grader
