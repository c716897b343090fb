// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

/// Comma-separated values as RFC 4180 has them; read also with the semicolons of countries that write 1,5.
namespace roofline::grader {

using CsvRow = std::vector<std::string>;

/// Quoted where needed, lines end with CR LF.
std::string csv_text(const std::vector<CsvRow>& rows);

/// Commas, or semicolons where the first line has more of them; any line ending, a byte order mark, quoted
/// cells with line breaks. Throws UsageError with the line.
std::vector<CsvRow> csv_rows(const std::string& text);

/// Text of somebody else for a cell: a spreadsheet takes what begins with = + - @ for a formula and runs it,
/// so those get an apostrophe in front.
std::string csv_cell(const std::string& text);

}  // namespace roofline::grader
