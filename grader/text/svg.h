// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

/// A small SVG writer: enough for rooflines and sweeps, readable in light and dark, on paper, and with no
/// script.
namespace roofline::grader {

struct Point {
  double x = 0, y = 0;
};

class Svg {
 public:
  /// `title` and `description` are what a screen reader says.
  Svg(double width, double height, std::string_view title, std::string_view description);

  /// Classes: "axis" "grid" "series" "roof" "knee" "sheet" for lines and dots, "c0" to "c4" for curves that
  /// share a diagram and their names; "call" "wait" "kernel" "copy" "fill" and, for cells with a "lane" in
  /// them, "used" "waste" "empty" "owner0" to "owner3" for boxes; "title" "label" "tick" "note" for text.
  /// Pages (embedded()) know "best" "other" "failed" for dots and "minor" for ticks, too.
  void line(Point from, Point to, std::string_view style);
  void polyline(const std::vector<Point>& points, std::string_view style);
  /// The tooltip appears where the pointer rests.
  void dot(Point at, double radius, std::string_view style, std::string_view tooltip = {});
  /// A filled box; the tooltip as for a dot.
  void box(Point corner, double width, double height, std::string_view style, std::string_view tooltip = {});
  enum class Anchor { kStart, kMiddle, kEnd };
  void text(Point at, std::string_view content, std::string_view style, Anchor anchor = Anchor::kStart,
            double degrees = 0);

  /// What follows, up to end(), belongs together: `name` is for style sheets and scripts.
  void group(std::string_view name);
  /// The same; what lies outside this box is cut off.
  void clipped(std::string_view name, Point corner, double width, double height);
  void end();  ///< groups do not nest

  /// The whole document.
  std::string str() const;
  /// For a page whose style sheet knows the classes: no style of its own, as wide as there is room. `id` is
  /// unique in the page; a script may zoom into the clipped part: "x" along the axis, "xy" both, "" not.
  std::string embedded(std::string_view id, std::string_view zoom = "") const;

 private:
  std::string width_, height_, title_, description_, body_;
  bool inner_ = false;  ///< the open group is a clipped one
  std::string plot_;    ///< x, y, width and height of the clipped part
};

/// A logarithmic scale from values to a coordinate.
struct LogScale {
  double low = 1, high = 10;  ///< values, positive
  double from = 0, to = 100;  ///< coordinates of low and high
  double at(double value) const;
  /// Powers of `base` within the range, at most `most` (evenly thinned out).
  std::vector<double> ticks(double base, size_t most) const;
};

/// The smallest range from 1, 2 or 5 times a power of ten to another that holds all positive values, at least
/// a decade.
LogScale log_scale(const std::vector<double>& values, double from, double to);

}  // namespace roofline::grader
