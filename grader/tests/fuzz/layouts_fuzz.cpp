// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What platforms export, with students' own names in it: any CSV, roster, metadata of Gradescope and file
// name is read or refused with a sentence, cells survive a round trip, and nobody is taken for somebody else.
#include <strings.h>

#include <cstdlib>

#include "grader/base/paths.h"
#include "grader/batch/layout.h"
#include "grader/batch/roster.h"
#include "grader/formats/csv.h"

using namespace roofline::grader;

namespace {

void read_table(const std::string& text) try {
  std::vector<CsvRow> rows = csv_rows(text);
  std::erase(rows, CsvRow{""});                // written as an empty line, which is no row
  rows.insert(rows.begin(), {"a", "b", "c"});  // says that commas separate, whatever the cells hold
  if (csv_rows(csv_text(rows)) != rows) std::abort();
} catch (const UsageError&) {
}

void read_roster(const std::string& text) try {
  const std::vector<Student> roster = parse_roster(text, "roster.csv");
  for (const Student& student : roster) {
    if (student.id.empty()) std::abort();
    const auto is_told = [&](const std::string& cell) {
      return strcasecmp(cell.c_str(), student.id.c_str()) == 0;
    };
    // An id or an address decides before all else.
    const Student* found = find_student(roster, {student.id});
    if (found != nullptr && !is_told(found->id) && !is_told(found->email)) std::abort();
  }
} catch (const UsageError&) {
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_table(text);
  read_roster(text);
  for (const auto& [folder, entry] : parse_gradescope(text))
    if (folder.empty() || entry.submitters.empty()) std::abort();
  layout_of(text);
  declared_name(text, {"pointwise.cu"});
  return 0;
}
