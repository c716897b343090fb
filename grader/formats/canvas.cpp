// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Canvas: one column of the gradebook that Canvas exported is filled, and comes back with the columns that
// say whose row it is. Other grades are left out, so that uploading it changes nothing else.
#include <algorithm>
#include <cctype>
#include <optional>

#include "grader/formats/csv.h"
#include "grader/formats/format.h"
#include "grader/paths.h"

namespace roofline::grader {
namespace {

const std::vector<std::string> kIdentity = {"Student",        "ID",           "SIS User ID", "SIS Login ID",
                                            "Integration ID", "Root Account", "Section"};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") + 1 - begin);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

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
  std::vector<size_t> identity, keys;  ///< keys: what may say whose row it is
};

Columns columns_of(const CsvRow& header, const std::string& wanted) {
  Columns columns;
  columns.fill = column_to_fill(header, wanted);
  for (size_t i = 0; i < header.size(); ++i) {
    if (!is_identity(header[i])) continue;
    columns.identity.push_back(i);
    const std::string name = trimmed(header[i]);
    if (name == "ID" || name == "SIS User ID" || name == "SIS Login ID") columns.keys.push_back(i);
  }
  if (columns.keys.empty())
    throw UsageError("the gradebook has none of the columns ID, SIS User ID and SIS Login ID");
  return columns;
}

/// By e-mail address or id; the address may stand there without its domain.
bool belongs(const CsvRow& row, const Columns& columns, const Graded& graded) {
  const std::string email = lower(graded.email), id = lower(graded.id);
  return std::ranges::any_of(columns.keys, [&](size_t key) {
    const std::string cell = key < row.size() ? lower(trimmed(row[key])) : "";
    return !cell.empty() && (cell == email || cell == id || cell == email.substr(0, email.find('@')));
  });
}

std::string canvas(const std::vector<Graded>& all, const FormatOptions& options) {
  const std::vector<CsvRow> book = csv_rows(options.gradebook);
  if (book.empty())
    throw UsageError("canvas fills a gradebook that Canvas exported: name the file with --gradebook");
  const Columns columns = columns_of(book[0], options.column);
  std::vector<bool> used(all.size());
  std::vector<CsvRow> rows;
  double possible = 0;
  for (const CsvRow& row : book) {
    CsvRow out;
    for (const size_t i : columns.identity) out.push_back(i < row.size() ? row[i] : "");
    std::string value = columns.fill < row.size() ? row[columns.fill] : "";
    if (trimmed(row[0]) == "Points Possible") possible = std::strtod(value.c_str(), nullptr);
    for (size_t i = 0; i < all.size(); ++i) {
      if (&row == &book[0] || !belongs(row, columns, all[i])) continue;
      used[i] = true;
      // A submission without a verdict keeps what Canvas has: no grade is better than a wrong one.
      if (all[i].verdict() == Verdict::kError) continue;
      const double max = all[i].max_points();
      value = decimal(possible > 0 && max > 0 ? all[i].points() * possible / max : all[i].points());
    }
    out.push_back(value);
    rows.push_back(std::move(out));
  }
  for (size_t i = 0; i < all.size(); ++i)
    if (!used[i] && options.note) options.note("no row of the gradebook belongs to " + all[i].id);
  return csv_text(rows);
}

}  // namespace

Format canvas_format() {
  return {.name = "canvas",
          .what = "Canvas: one column of an exported gradebook, filled (--gradebook FILE --column NAME)",
          .file = "canvas.csv",
          .of = Format::Of::kClass,
          .text = canvas};
}

}  // namespace roofline::grader
