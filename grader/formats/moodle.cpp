// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Moodle's grade import (Grades, Import, CSV file): email and idnumber say who it is.
#include "grader/formats/csv.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace {

std::string feedback(const Graded& graded) {
  std::string text = graded.remark;
  if (!graded.comment.empty()) text += (text.empty() ? "" : "; ") + graded.comment;
  for (const Result& result : graded.results) {
    text += (text.empty() ? "" : "; ") + result.part + ": " + std::string(name_of(result.verdict));
    if (result.medal != Medal::kNone) text += ", medal " + std::string(name_of(result.medal));
    unsigned told = 0;
    for (const Check& check : result.checks)
      if (check.verdict != Verdict::kPass && check.verdict != Verdict::kSkipped && told++ < 3)
        text += ", " + check.label() + ": " + outcome(check);
  }
  return one_line(text, 1000);
}

struct Person {
  std::string email, number;
};

/// An id that looks like an address is one.
Person person_of(const Graded& graded) {
  const bool id_is_address = graded.email.empty() && graded.id.find('@') != std::string::npos;
  return {.email = one_line(id_is_address ? graded.id : graded.email),
          .number = id_is_address ? "" : one_line(graded.id)};
}

/// Moodle finds a person by the one column that is mapped. Where that cell is empty it stays with the person
/// of the row before, who would get this grade (grade/import/csv/classes/load_data.php): a column that says
/// who it is has no empty cell, or is not there.
std::string moodle(const std::vector<Graded>& all, const FormatOptions& options) {
  std::vector<const Graded*> shown;
  size_t addresses = 0, numbers = 0;
  for (const Graded& graded : all) {
    if (graded.verdict() == Verdict::kError) {
      if (options.note) options.note(graded.id + " has no verdict and is left out");
      continue;
    }
    if (!graded.in_roster) {  // one person whom Moodle does not know, and it refuses the whole file
      if (options.note) options.note(graded.id + " is not in the roster and is left out");
      continue;
    }
    shown.push_back(&graded);
    addresses += person_of(graded).email.empty() ? 0 : 1;
    numbers += person_of(graded).number.empty() ? 0 : 1;
  }
  const bool by_email = addresses == shown.size() || addresses > numbers;
  const bool by_number = numbers == shown.size() || numbers >= addresses;
  CsvRow header;
  if (by_email) header.push_back("email");
  if (by_number) header.push_back("idnumber");
  header.insert(header.end(), {"grade", "feedback"});
  std::vector<CsvRow> rows = {header};
  for (const Graded* graded : shown) {
    const Person person = person_of(*graded);
    if ((by_email && person.email.empty()) || (by_number && person.number.empty())) {
      if (options.note)
        options.note(graded->id + " has no " + (by_email ? "address" : "id") +
                     ", as the others have, and is left out");
      continue;
    }
    CsvRow row;
    if (by_email) row.push_back(csv_cell(person.email));
    if (by_number) row.push_back(csv_cell(person.number));
    row.insert(row.end(), {decimal(graded->points()), csv_cell(feedback(*graded))});
    rows.push_back(std::move(row));
  }
  return csv_text(rows);
}

}  // namespace

Format moodle_format() {
  return {.name = "moodle",
          .what = "Moodle's grade import: email,idnumber,grade,feedback",
          .file = "moodle.csv",
          .of = Format::Of::kClass,
          .names_people = true,
          .text = moodle};
}

}  // namespace roofline::grader
