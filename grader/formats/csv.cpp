// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/formats/csv.h"

#include <algorithm>

#include "grader/base/paths.h"

namespace roofline::grader {
namespace {

std::string quoted(const std::string& cell) {
  const bool plain = cell.find_first_of(",\"\r\n") == std::string::npos;
  // Blanks at the ends are part of the cell (Canvas begins a row with them), and some readers drop them.
  if (plain && (cell.empty() || (cell.front() != ' ' && cell.back() != ' '))) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

char separator_of(const std::string& text) {
  const std::string header = text.substr(0, text.find('\n'));
  return std::ranges::count(header, ';') > std::ranges::count(header, ',') ? ';' : ',';
}

}  // namespace

std::string csv_text(const std::vector<CsvRow>& rows) {
  std::string out;
  for (const CsvRow& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) out += (i ? "," : "") + quoted(row[i]);
    out += "\r\n";
  }
  return out;
}

std::vector<CsvRow> csv_rows(const std::string& text) {
  const char separator = separator_of(text);
  std::vector<CsvRow> rows;
  CsvRow row;
  std::string cell;
  bool in_quotes = false, was_quoted = false;
  size_t line = 1, at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const auto end_row = [&] {
    if (!row.empty() || !cell.empty() || was_quoted) {
      row.push_back(std::move(cell));
      rows.push_back(std::move(row));
    }
    row.clear(), cell.clear(), was_quoted = false;
  };
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (in_quotes) {
      if (c != '"') {
        cell += c;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        cell += '"', ++at;
      } else {
        in_quotes = false;
      }
    } else if (c == '"' && cell.empty() && !was_quoted) {
      in_quotes = was_quoted = true;
    } else if (c == separator) {
      row.push_back(std::move(cell));
      cell.clear(), was_quoted = false;
    } else if (c == '\n') {
      end_row();
    } else if (c != '\r' || at + 1 >= text.size() || text[at + 1] != '\n') {
      cell += c;
    }
  }
  if (in_quotes) throw UsageError("the CSV file ends inside a quoted cell, line " + std::to_string(line));
  end_row();
  return rows;
}

std::string csv_cell(const std::string& text) {
  // Spreadsheets of some languages read the full-width forms as the plain ones.
  static constexpr std::string_view kFormula[] = {"=",      "+",      "-",      "@",      "\t",
                                                  "\r",     "\uff1d", "\uff0b", "\uff0d", "\uff20",
                                                  "\u2212", "\ufe62", "\ufe63", "\ufe66", "\ufe6b"};
  const size_t first = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view rest = std::string_view(text).substr(first);
  return std::ranges::any_of(kFormula, [&](std::string_view sign) { return rest.starts_with(sign); })
             ? "'" + text
             : text;
}

}  // namespace roofline::grader
