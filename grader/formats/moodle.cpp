// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Moodle's grade import (Grades, Import, CSV file): email and idnumber say who it is.
#include "grader/formats/csv.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace {

std::string feedback(const Graded& graded) {
  std::string text = graded.remark;
  for (const Result& result : graded.results) {
    text += (text.empty() ? "" : "; ") + result.part + ": " + std::string(name_of(result.verdict));
    if (result.medal != Medal::kNone) text += ", medal " + std::string(name_of(result.medal));
    unsigned told = 0;
    for (const Check& check : result.checks)
      if (check.verdict != Verdict::kPass && check.verdict != Verdict::kSkipped && told++ < 3)
        text += ", " + (check.title.empty() ? check.id : check.title) + ": " + outcome(check);
  }
  return one_line(text, 1000);
}

/// Moodle knows a person by one of the two: an id that looks like an address is one.
std::string moodle(const std::vector<Graded>& all, const FormatOptions& options) {
  std::vector<CsvRow> rows = {{"email", "idnumber", "grade", "feedback"}};
  for (const Graded& graded : all) {
    if (graded.verdict() == Verdict::kError) {
      if (options.note) options.note(graded.id + " has no verdict and is left out");
      continue;
    }
    const bool id_is_address = graded.email.empty() && graded.id.find('@') != std::string::npos;
    rows.push_back({csv_cell(one_line(id_is_address ? graded.id : graded.email)),
                    csv_cell(id_is_address ? "" : one_line(graded.id)), decimal(graded.points()),
                    csv_cell(feedback(graded))});
  }
  return csv_text(rows);
}

}  // namespace

Format moodle_format() {
  return {.name = "moodle",
          .what = "Moodle's grade import: email,idnumber,grade,feedback",
          .file = "moodle.csv",
          .of = Format::Of::kClass,
          .text = moodle};
}

}  // namespace roofline::grader
