// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

/// What the reader's terminal can show, and the few marks we draw on it.
namespace roofline::grader {

enum class Colour { kPlain, kBold, kDim, kRed, kGreen, kYellow, kBlue };

/// One output stream. Nothing here asks the operating system again after `of`.
struct Terminal {
  bool interactive = false;  ///< a person looks at it: progress may be drawn
  bool colour = false;       ///< interactive, and neither NO_COLOR nor TERM=dumb
  bool utf8 = false;         ///< the locale's character set is UTF-8
  int width = 120;           ///< columns; 120 where there is no terminal

  /// Looks at file descriptor `fd` and at NO_COLOR, TERM, LC_ALL, LC_CTYPE, LANG and COLUMNS.
  static Terminal of(int fd);

  std::string paint(Colour colour, std::string_view text) const;
  /// `utf` where the locale can show it, else `ascii`.
  std::string_view either(std::string_view utf, std::string_view ascii) const { return utf8 ? utf : ascii; }
};

/// Columns that `text` takes: code points, without escape sequences.
int display_width(std::string_view text);

/// `text` padded with spaces to `width` columns.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);

}  // namespace roofline::grader
