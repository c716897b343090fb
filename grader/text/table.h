// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "grader/text/terminal.h"

/// Tables and bars as plain text that stays aligned with colours and UTF-8 in the cells.
namespace roofline::grader {

struct Column {
  enum class Align {
    kLeft,
    kRight,
    kWrap
  };  ///< kWrap: left, and takes what width remains, over several lines
  /// What becomes of it where the terminal is too narrow for the table.
  enum class Narrow {
    kStays,
    kGoesBelow,  ///< "title value", in a line under its row
    kGoes        ///< these first: what another column says too
  };
  std::string title;
  Align align = Align::kLeft;
  Narrow narrow = Narrow::kStays;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Missing cells at the end are empty; more cells than columns is a programming error (std::logic_error).
  void add(std::vector<std::string> cells);
  /// Text below the last row, over the whole width: what no column has room for.
  void note(std::string text);
  /// A line across, for example above a sum.
  void rule();
  bool empty() const { return rows_.empty(); }
  /// Every line starts with `indent` spaces and ends with a newline; no trailing spaces.
  std::string render(const Terminal& terminal, int indent = 2) const;

 private:
  std::vector<int> widths(const Terminal& terminal, int indent) const;
  bool fits(const Terminal& terminal, int indent) const;
  Table without(size_t column, bool below) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  ///< an empty row is a rule
  std::map<std::size_t, std::string> notes_;    ///< by the row above it
  std::map<std::size_t, std::string> asides_;   ///< of columns that had no room, by row
};

/// Words of `text` in lines of at most `width` columns; a longer word stays whole. Newlines are kept,
/// and the spaces that a line begins with, before all that it becomes.
std::vector<std::string> wrap(std::string_view text, int width);

/// `fraction` of `cells` cells filled, eighths of a cell where UTF-8 allows; a mark stands at each of `marks`
/// (fractions of the same scale) that is not reached. Values outside 0..1 and NaN are drawn as the nearest
/// end.
std::string bar(const Terminal& terminal, double fraction, int cells, const std::vector<double>& marks = {});

}  // namespace roofline::grader
