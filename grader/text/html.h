// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "grader/text/svg.h"

namespace roofline::grader {

/// Writes HTML in which no text can become markup: everything that is given as text or as the value of an
/// attribute is escaped, made valid UTF-8 and freed of control characters. Tags, names of attributes and what
/// goes through verbatim() are ours.
class Html {
 public:
  struct Attribute {
    std::string_view name;
    std::string value;
  };
  using Attributes = std::initializer_list<Attribute>;

  Html& open(std::string_view tag, Attributes attributes = {});
  Html& close();  ///< the innermost open element
  Html& text(std::string_view content);
  Html& element(std::string_view tag, std::string_view content, Attributes attributes = {});
  Html& empty(std::string_view tag, Attributes attributes = {});  ///< one without an end: meta, br
  Html& figure(const Svg& svg, std::string_view id, std::string_view zoom = "");
  /// Our own style sheet or script, never anything from outside.
  Html& verbatim(std::string_view markup);

  /// Throws std::logic_error while an element is open.
  std::string str() const;

 private:
  std::string text_;
  std::vector<std::string> open_;
};

}  // namespace roofline::grader
