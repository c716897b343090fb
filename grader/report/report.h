// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/learner/attempts.h"

/// The learner's page: what was reached, where it stands on the roofline, what each source line did, what to
/// do next. One HTML file that loads nothing.
namespace roofline::grader {

struct ReportPart {
  std::string id;                 ///< "03c"
  std::string lab;                ///< "03-fusion"
  std::string title;              ///< "fusion C: a compiler that fuses"
  std::string file;               ///< what the learner edits, from the checkout's root
  std::vector<Attempt> attempts;  ///< oldest first

  /// The one with most points, the latest of equals; none without attempts.
  const Attempt* best() const;
  const Attempt* last() const { return attempts.empty() ? nullptr : &attempts.back(); }
};

/// A line of how a grade came about: "01 the result is right", "40", "40".
struct GradeRow {
  std::string what, points, of;
};

struct ReportData {
  std::string heading = "Your labs";  ///< or whose they are
  std::string made;                   ///< when, RFC 3339; empty: does not matter
  std::string remark;                 ///< goes with the heading; empty: none
  bool own = true;                    ///< for the learner: says what to type next
  std::vector<GradeRow> grade{};      ///< of a class: where the points come from, the last line is the grade
  std::vector<ReportPart> parts;      ///< all that the course has, in order ...
  bool of_some = false;               ///< ... or only those that were asked for
};

/// The whole page. Every string in `data` is treated as foreign text.
std::string report_page(const ReportData& data);

/// What to do next, a sentence and a command ("" when there is nothing left).
struct NextStep {
  std::string sentence, command;
};
NextStep next_step(const ReportData& data);

}  // namespace roofline::grader
