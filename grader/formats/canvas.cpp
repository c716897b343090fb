// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Canvas: one column of the gradebook that Canvas exported is filled, and comes back with the columns that
// say whose row it is. Other grades are left out, so that uploading it changes nothing else.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "grader/base/paths.h"
#include "grader/base/words.h"
#include "grader/formats/csv.h"
#include "grader/formats/format.h"

namespace roofline::grader {
namespace {

/// In the order in which Canvas' importer (gradebook_importer.rb) wants them; names in one column or in two.
const std::vector<std::string> kIdentity = {"Student",     "LastName",     "FirstName",      "ID",
                                            "SIS User ID", "SIS Login ID", "Integration ID", "Root Account",
                                            "Section"};

bool is_identity(const std::string& header) {
  return std::ranges::find(kIdentity, trimmed(header)) != kIdentity.end();
}

/// "Lab 01 (90218)": Canvas writes the assignment's number behind its name.
std::optional<std::string> assignment_name(const std::string& header) {
  const size_t open = header.rfind(" (");
  if (open == std::string::npos || !header.ends_with(')') || open + 3 > header.size() - 1)
    return std::nullopt;
  const std::string number = header.substr(open + 2, header.size() - open - 3);
  if (!std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c); })) return std::nullopt;
  return header.substr(0, open);
}

size_t column_to_fill(const CsvRow& header, const std::string& wanted) {
  std::vector<size_t> assignments;
  std::string list;
  for (size_t i = 0; i < header.size(); ++i) {
    const auto name = assignment_name(header[i]);
    if (!wanted.empty() && (header[i] == wanted || name == wanted)) return i;
    if (!name) continue;
    assignments.push_back(i);
    list += "\n  " + *name;
  }
  if (wanted.empty() && assignments.size() == 1) return assignments[0];
  if (assignments.empty())
    throw UsageError(
        "the gradebook has no assignment: export it from Canvas (Grades, Export) after creating one");
  throw UsageError((wanted.empty() ? "the gradebook has several assignments: say which with --column"
                                   : "the gradebook has no column \"" + wanted + "\"") +
                   "; there are" + list);
}

struct Columns {
  size_t fill = 0;
  std::vector<size_t> identity, keys;   ///< keys: what may say whose row it is
  std::optional<size_t> canvas_number;  ///< the column ID: Canvas' own number of a person
};

Columns columns_of(const CsvRow& header, const std::string& wanted) {
  Columns columns;
  columns.fill = column_to_fill(header, wanted);
  for (size_t i = 0; i < header.size(); ++i) {
    if (!is_identity(header[i])) continue;
    columns.identity.push_back(i);
    const std::string name = trimmed(header[i]);
    if (name == "ID" || name == "SIS User ID" || name == "SIS Login ID") columns.keys.push_back(i);
    if (name == "ID") columns.canvas_number = i;
  }
  if (columns.keys.empty())
    throw UsageError("the gradebook has none of the columns ID, SIS User ID and SIS Login ID");
  return columns;
}

/// How sure it is that a row is a submission's: 2 by address or id (a file of Canvas' own download has
/// Canvas' number at its end: "lovelaceada_5001"), 1 by what stands before the @ of the address, 0 not at
/// all.
int certainty(const CsvRow& row, const Columns& columns, const Graded& graded) {
  const std::string email = lower(graded.email), id = lower(graded.id);
  int best = 0;
  for (const size_t key : columns.keys) {
    const std::string cell = key < row.size() ? lower(trimmed(row[key])) : "";
    if (cell.empty()) continue;
    if (cell == email || cell == id || (key == columns.canvas_number && id.ends_with("_" + cell))) return 2;
    if (cell == email.substr(0, email.find('@'))) best = 1;
  }
  return best;
}

/// The submission of each row. Nobody gets a grade that might be somebody else's: where two rows, or two
/// submissions, are as likely, none is taken and a note says so.
std::vector<const Graded*> submissions_of(const std::vector<CsvRow>& book, const Columns& columns,
                                          const std::vector<Graded>& all, const FormatOptions& options) {
  std::vector<const Graded*> owners(book.size());
  std::vector<int> sure(book.size());
  const auto note = [&](const std::string& text) {
    if (options.note) options.note(text);
  };
  for (const Graded& graded : all) {
    int best = 0;
    std::vector<size_t> rows;
    for (size_t r = 1; r < book.size(); ++r) {
      const int now = certainty(book[r], columns, graded);
      if (now > best) rows.clear();
      if (now != 0 && now >= best) best = now, rows.push_back(r);
    }
    if (rows.size() != 1) {
      note((rows.empty() ? "no row of the gradebook belongs to "
                         : "several rows of the gradebook could be of ") +
           graded.id);
    } else if (best > sure[rows[0]]) {
      if (const Graded* other = owners[rows[0]]) note("no row of the gradebook belongs to " + other->id);
      owners[rows[0]] = &graded, sure[rows[0]] = best;
    } else if (best == sure[rows[0]]) {
      note("one row of the gradebook could be of " + graded.id + " and of another: it keeps what it has");
      owners[rows[0]] = nullptr;
    } else {
      note("no row of the gradebook belongs to " + graded.id);
    }
  }
  return owners;
}

std::string canvas(const std::vector<Graded>& all, const FormatOptions& options) {
  const std::vector<CsvRow> book = csv_rows(options.gradebook);
  if (book.empty())
    throw UsageError("canvas fills a gradebook that Canvas exported: name the file with --gradebook");
  const Columns columns = columns_of(book[0], options.column);
  const std::vector<const Graded*> owners = submissions_of(book, columns, all, options);
  std::vector<CsvRow> rows;
  double possible = 0;
  for (size_t r = 0; r < book.size(); ++r) {
    const CsvRow& row = book[r];
    CsvRow out;
    for (const size_t i : columns.identity) out.push_back(i < row.size() ? row[i] : "");
    std::string value = columns.fill < row.size() ? row[columns.fill] : "";
    if (trimmed(row[0]) == "Points Possible") possible = std::strtod(value.c_str(), nullptr);
    // A submission without a verdict keeps what Canvas has: no grade is better than a wrong one.
    if (const Graded* graded = owners[r]; graded != nullptr && graded->verdict() != Verdict::kError) {
      const double max = graded->max_points();
      value = decimal(possible > 0 && max > 0 ? graded->points() * possible / max : graded->points());
    }
    out.push_back(value);
    rows.push_back(std::move(out));
  }
  return csv_text(rows);
}

}  // namespace

Format canvas_format() {
  return {.name = "canvas",
          .what = "Canvas: one column of an exported gradebook, filled (--gradebook FILE --column NAME)",
          .file = "canvas.csv",
          .of = Format::Of::kClass,
          .fills_gradebook = true,
          .text = canvas};
}

}  // namespace roofline::grader
