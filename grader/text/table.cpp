// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/text/table.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace roofline::grader {
namespace {

constexpr int kGap = 2;         // spaces between columns
constexpr int kNoteIndent = 5;  // of a note, behind the table's own
constexpr int kNarrowest = 16;  // a wrapped column never gets less

std::string repeat(std::string_view what, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += what;
  return out;
}

void strip_trailing_spaces(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  if (cells.size() > columns_.size() || cells.empty())
    throw std::logic_error("a table row needs 1 to n cells");
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::note(std::string text) {
  if (!rows_.empty() && !text.empty()) notes_[rows_.size() - 1] = std::move(text);
}

void Table::rule() { rows_.emplace_back(); }

std::vector<int> Table::widths(const Terminal& terminal, int indent) const {
  std::vector<int> result(columns_.size());
  int fixed = indent + kGap * (static_cast<int>(columns_.size()) - 1);
  for (size_t c = 0; c < columns_.size(); ++c) {
    result[c] = display_width(columns_[c].title);
    for (const auto& row : rows_) {
      if (row.empty()) continue;
      for (const std::string& line : wrap(row[c], 1 << 20))
        result[c] = std::max(result[c], display_width(line));
    }
    if (columns_[c].align != Column::Align::kWrap) fixed += result[c];
  }
  // Narrow ones keep their width; the others share what is left.
  int left = terminal.width - fixed;
  std::vector<size_t> wide;
  for (size_t c = 0; c < columns_.size(); ++c)
    if (columns_[c].align == Column::Align::kWrap) wide.push_back(c);
  std::sort(wide.begin(), wide.end(), [&](size_t a, size_t b) { return result[a] < result[b]; });
  for (size_t i = 0; i < wide.size(); ++i) {
    const int share = std::max(kNarrowest, left / static_cast<int>(wide.size() - i));
    result[wide[i]] = std::min(result[wide[i]], share);
    left -= result[wide[i]];
  }
  return result;
}

bool Table::fits(const Terminal& terminal, int indent) const {
  int total = indent + kGap * (static_cast<int>(columns_.size()) - 1);
  for (const int width : widths(terminal, indent)) total += width;
  return total <= terminal.width;
}

/// The table without one of its columns, which its rows say in a line below instead, if asked to.
Table Table::without(size_t column, bool below) const {
  Table table = *this;
  const auto place = static_cast<std::ptrdiff_t>(column);
  for (size_t r = 0; r < rows_.size(); ++r) {
    if (rows_[r].empty()) continue;
    table.rows_[r].erase(table.rows_[r].begin() + place);
    if (!below || rows_[r][column].empty()) continue;
    std::string& aside = table.asides_[r];
    aside = columns_[column].title + " " + rows_[r][column] + (aside.empty() ? "" : ", ") + aside;
  }
  table.columns_.erase(table.columns_.begin() + place);
  return table;
}

std::string Table::render(const Terminal& terminal, int indent) const {
  if (!fits(terminal, indent))
    for (const Column::Narrow narrow : {Column::Narrow::kGoes, Column::Narrow::kGoesBelow})
      for (size_t c = columns_.size(); c-- > 0;)
        if (columns_[c].narrow == narrow)
          return without(c, narrow == Column::Narrow::kGoesBelow).render(terminal, indent);
  const std::vector<int> width = widths(terminal, indent);
  const std::string margin(static_cast<size_t>(indent), ' ');
  std::string out;
  const auto emit = [&](const std::vector<std::string>& cells, Colour colour) {
    std::vector<std::vector<std::string>> lines;
    size_t height = 1;
    for (size_t c = 0; c < cells.size(); ++c) {
      const bool wraps = columns_[c].align == Column::Align::kWrap;
      lines.push_back(wrap(cells[c], wraps ? width[c] : 1 << 20));
      height = std::max(height, lines.back().size());
    }
    for (size_t l = 0; l < height; ++l) {
      std::string line = margin;
      for (size_t c = 0; c < cells.size(); ++c) {
        const std::string text = l < lines[c].size() ? terminal.paint(colour, lines[c][l]) : "";
        line +=
            columns_[c].align == Column::Align::kRight ? pad_left(text, width[c]) : pad_right(text, width[c]);
        if (c + 1 < cells.size()) line += std::string(kGap, ' ');
      }
      strip_trailing_spaces(line);
      out += line + "\n";
    }
  };
  std::vector<std::string> titles;
  int total = kGap * (static_cast<int>(columns_.size()) - 1);
  for (size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    total += width[c];
  }
  const std::string line =
      margin + terminal.paint(Colour::kDim, repeat(terminal.either("─", "-"), total)) + "\n";
  emit(titles, Colour::kDim);
  out += line;
  for (size_t r = 0; r < rows_.size(); ++r) {
    if (rows_[r].empty()) {
      out += line;
    } else {
      emit(rows_[r], Colour::kPlain);
    }
    const int room = std::max(kNarrowest, terminal.width - indent - kNoteIndent);
    for (const auto* below : {&asides_, &notes_}) {
      const auto found = below->find(r);
      if (found == below->end()) continue;
      for (const std::string& text : wrap(found->second, room))
        out += margin + std::string(kNoteIndent, ' ') + text + "\n";
    }
  }
  return out;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (true) {
    const size_t end = text.find('\n');
    std::string_view paragraph = text.substr(0, end);
    std::string line;
    if (display_width(paragraph) <= width) {  // keeps the author's own spacing
      line = paragraph;
    } else {
      const std::string margin(std::min(paragraph.find_first_not_of(' '), paragraph.size()), ' ');
      while (!paragraph.empty()) {
        const size_t space = paragraph.find(' ');
        const std::string_view word = paragraph.substr(0, space);
        if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
          lines.push_back(std::move(line));
          line.clear();
        }
        if (!word.empty()) line += (line.empty() ? margin : " ") + std::string(word);
        paragraph = space == std::string_view::npos ? std::string_view{} : paragraph.substr(space + 1);
      }
    }
    lines.push_back(std::move(line));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string bar(const Terminal& terminal, double fraction, int cells, const std::vector<double>& marks) {
  if (!(fraction > 0)) fraction = 0;
  fraction = std::min(fraction, 1.0);
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int eighths = static_cast<int>(std::lround(fraction * cells * 8));
  const int full = terminal.utf8 ? eighths / 8 : static_cast<int>(std::lround(fraction * cells));
  std::string out = repeat(terminal.either("█", "#"), full);
  int at = full;
  if (terminal.utf8 && eighths % 8 != 0 && at < cells) {
    out += kEighths[eighths % 8];
    ++at;
  }
  for (; at < cells; ++at) {
    const bool mark = std::any_of(marks.begin(), marks.end(), [&](double m) {
      return std::min(cells - 1, static_cast<int>(m * cells)) == at && m > fraction;
    });
    out += mark ? terminal.either("│", "|") : terminal.either("·", ".");
  }
  return out;
}

}  // namespace roofline::grader
