// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/text/html.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "grader/base/printable.h"
#include "grader/base/xml.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace {

std::string tag_of(std::string_view tag, Html::Attributes attributes) {
  std::string text = "<" + std::string(tag);
  for (const Html::Attribute& attribute : attributes) {
    text += " " + std::string(attribute.name);
    const bool bare = std::ranges::all_of(
        attribute.value, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
    if (!attribute.value.empty() && bare)
      text += "=" + attribute.value;
    else if (!attribute.value.empty())
      text += "=\"" + xml_escaped(printable(attribute.value)) + "\"";
  }
  return text + ">";
}

/// Elements after which a line may break without a visible space.
bool is_block(std::string_view tag) {
  for (const std::string_view block :
       {"section", "table", "thead", "tbody", "tr",    "figure",     "details", "main", "header",
        "footer",  "nav",   "div",   "p",     "ul",    "ol",         "li",      "h1",   "h2",
        "h3",      "head",  "body",  "html",  "title", "figcaption", "pre"})
    if (tag == block) return true;
  return false;
}

/// HTML's own rules end these; a table of source lines is a quarter shorter without.
bool ends_by_itself(std::string_view tag) {
  for (const std::string_view each : {"td", "th", "tr", "li", "dt", "dd"})
    if (tag == each) return true;
  return false;
}

}  // namespace

Html& Html::open(std::string_view tag, Attributes attributes) {
  text_ += tag_of(tag, attributes);
  open_.emplace_back(tag);
  return *this;
}

Html& Html::close() {
  if (open_.empty()) throw std::logic_error("an HTML element is closed that was not opened");
  if (!ends_by_itself(open_.back())) text_ += "</" + open_.back() + ">";
  if (!ends_by_itself(open_.back()) && is_block(open_.back())) text_ += '\n';
  open_.pop_back();
  return *this;
}

Html& Html::text(std::string_view content) {
  text_ += xml_escaped(printable(content));
  return *this;
}

Html& Html::element(std::string_view tag, std::string_view content, Attributes attributes) {
  return open(tag, attributes).text(content).close();
}

Html& Html::empty(std::string_view tag, Attributes attributes) {
  text_ += tag_of(tag, attributes) + "\n";
  return *this;
}

Html& Html::figure(const Svg& svg, std::string_view id, std::string_view zoom) {
  return verbatim(svg.embedded(id, zoom));
}

Html& Html::verbatim(std::string_view markup) {
  text_ += markup;
  return *this;
}

std::string Html::str() const {
  if (!open_.empty()) throw std::logic_error("the HTML element " + open_.back() + " is not closed");
  return text_;
}

}  // namespace roofline::grader
