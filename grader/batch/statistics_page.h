// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/formats/format.h"

/// A term seen from above: how the labs went, over several graded classes.
namespace roofline::grader {

/// What one `./lab batch` graded.
struct GradedClass {
  std::string name;  ///< of its folder
  std::vector<Graded> students;
};

/// Of the grades of some students in one class, as percent of the points.
struct Spread {
  std::size_t n = 0;
  double mean = 0, median = 0, q1 = 0, q3 = 0, least = 0, most = 0;
  std::vector<std::size_t> tenths{};  ///< students from 0 to under 10 %, ..., from 90 to 100 %
};
Spread spread_of(const std::vector<double>& percents);

/// A line of the statistics: a class, all of it or one section.
struct StatisticsRow {
  std::string name, section;  ///< section empty: everybody
  Spread spread;
  std::size_t passed = 0, without_verdict = 0;
};
/// Who has no verdict through no fault of their own counts as that, not as 0 points.
std::vector<StatisticsRow> statistics_rows(const std::vector<GradedClass>& classes);

std::string statistics_csv(const std::vector<GradedClass>& classes);
/// A row for each check of each class and section: how many passed it.
std::string checks_csv(const std::vector<GradedClass>& classes);
/// A row a student, a column a class, as gradebooks import it. The sum over the term is the platform's. Empty
/// where somebody handed in nothing or has no verdict.
std::string grades_csv(const std::vector<GradedClass>& classes);

std::string statistics_page(const std::vector<GradedClass>& classes);

}  // namespace roofline::grader
