// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/text/svg.h"

#include <algorithm>
#include <cmath>

#include "grader/base/units.h"
#include "grader/base/xml.h"

namespace roofline::grader {
namespace {

// Plain colours first: viewers other than browsers know neither custom properties nor media queries.
constexpr std::string_view kStyle = R"(<style>
text{font:12px system-ui,sans-serif;fill:#1f2933}
text.title{font-size:14px;font-weight:600}
text.tick,text.note{fill:#6b7785;font-size:11px}
line,polyline{fill:none;stroke-width:1}
.paper{fill:#fff}.axis{stroke:#6b7785}.grid{stroke:#dde3ea}
.series{stroke:#1f6feb}polyline.series{stroke-width:2}circle.series{fill:#1f6feb}
.roof{stroke:#b3541e}.knee{stroke:#b3541e;stroke-dasharray:2 3}.sheet{stroke:#8a63b8;stroke-dasharray:7 4}
text.roof,text.knee{fill:#b3541e;stroke:none;font-size:11px}text.sheet{fill:#8a63b8;stroke:none;font-size:11px}
.c0{stroke:#1f6feb}.c1{stroke:#b3541e}.c2{stroke:#8a63b8}.c3{stroke:#1a7f5a}.c4{stroke:#d1345b}
polyline.c0,polyline.c1,polyline.c2,polyline.c3,polyline.c4{stroke-width:2}circle.c0,text.c0,.kernel{fill:#1f6feb}
circle.c1,text.c1{fill:#b3541e}circle.c2,text.c2{fill:#8a63b8}circle.c3,text.c3,.copy{fill:#1a7f5a}
circle.c4,text.c4{fill:#d1345b}text.c0,text.c1,text.c2,text.c3,text.c4{stroke:none}.call{fill:#6b7785}.wait{fill:#e3b98f}
text.lane{font-size:9.5px}.used,.owner0{fill:#1f6feb;fill-opacity:.3}.waste{fill:#e3b98f}.empty{fill:#eef1f5}
.owner1{fill:#1a7f5a;fill-opacity:.3}.owner2{fill:#8a63b8;fill-opacity:.3}.owner3{fill:#6b7785;fill-opacity:.3}
@media (prefers-color-scheme:dark){.paper{fill:#10151b}text{fill:#e6edf3}text.tick,text.note{fill:#9aa7b4}
.waste{fill:#8a6a45}.empty{fill:#1d262f}
.axis{stroke:#9aa7b4}.grid{stroke:#2c3640}.series{stroke:#58a6ff}circle.series{fill:#58a6ff}
.roof,.knee{stroke:#f0883e}.sheet{stroke:#c297f0}text.roof,text.knee{fill:#f0883e}text.sheet{fill:#c297f0}}
@media print{.paper{fill:#fff}text{fill:#000}}
</style>
)";

std::string coordinate(double value) {
  std::string text = format_number("%.1f", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + xml_escaped(value) + "\"";
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title, std::string_view description)
    : width_(coordinate(width)), height_(coordinate(height)), title_(title), description_(description) {}

void Svg::group(std::string_view name) { body_ += "<g" + attribute("class", name) + ">\n"; }

// An inner svg cuts off by itself; a clip path would need a name of its own in every page.
void Svg::clipped(std::string_view name, Point corner, double width, double height) {
  const std::string x = coordinate(corner.x), y = coordinate(corner.y), w = coordinate(width),
                    h = coordinate(height);
  plot_ = x + " " + y + " " + w + " " + h;
  body_ += "<g><svg" + attribute("class", name) + attribute("x", x) + attribute("y", y) +
           attribute("width", w) + attribute("height", h) + attribute("viewBox", plot_) + ">\n";
  inner_ = true;
}

void Svg::end() {
  body_ += inner_ ? "</svg></g>\n" : "</g>\n";
  inner_ = false;
}

void Svg::line(Point from, Point to, std::string_view style) {
  body_ += "<line" + attribute("class", style) + attribute("x1", coordinate(from.x)) +
           attribute("y1", coordinate(from.y)) + attribute("x2", coordinate(to.x)) +
           attribute("y2", coordinate(to.y)) + "/>\n";
}

void Svg::polyline(const std::vector<Point>& points, std::string_view style) {
  std::string list;
  for (const Point& point : points)
    list += (list.empty() ? "" : " ") + coordinate(point.x) + "," + coordinate(point.y);
  body_ += "<polyline" + attribute("class", style) + attribute("points", list) + "/>\n";
}

void Svg::dot(Point at, double radius, std::string_view style, std::string_view tooltip) {
  body_ += "<circle" + attribute("class", style) + attribute("cx", coordinate(at.x)) +
           attribute("cy", coordinate(at.y)) + attribute("r", coordinate(radius));
  body_ += tooltip.empty() ? "/>\n" : "><title>" + xml_escaped(tooltip) + "</title></circle>\n";
}

void Svg::box(Point corner, double width, double height, std::string_view style, std::string_view tooltip) {
  body_ += "<rect" + attribute("class", style) + attribute("x", coordinate(corner.x)) +
           attribute("y", coordinate(corner.y)) + attribute("width", coordinate(width)) +
           attribute("height", coordinate(height));
  body_ += tooltip.empty() ? "/>\n" : "><title>" + xml_escaped(tooltip) + "</title></rect>\n";
}

void Svg::text(Point at, std::string_view content, std::string_view style, Anchor anchor, double degrees) {
  body_ += "<text" + attribute("class", style) + attribute("x", coordinate(at.x)) +
           attribute("y", coordinate(at.y));
  if (anchor != Anchor::kStart)
    body_ += attribute("text-anchor", anchor == Anchor::kMiddle ? "middle" : "end");
  if (degrees != 0)
    body_ += attribute(
        "transform", "rotate(" + coordinate(degrees) + " " + coordinate(at.x) + " " + coordinate(at.y) + ")");
  body_ += ">" + xml_escaped(content) + "</text>\n";
}

std::string Svg::str() const {
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" + attribute("width", width_) +
         attribute("height", height_) + attribute("viewBox", "0 0 " + width_ + " " + height_) + ">\n<title>" +
         xml_escaped(title_) + "</title>\n<desc>" + xml_escaped(description_) + "</desc>\n" +
         std::string(kStyle) + body_ + "</svg>\n";
}

std::string Svg::embedded(std::string_view id, std::string_view zoom) const {
  const std::string title = std::string(id) + "-title", description = std::string(id) + "-desc";
  std::string text = "<svg class=\"figure\" role=\"group\"" + attribute("id", id) +
                     attribute("viewBox", "0 0 " + width_ + " " + height_) +
                     attribute("aria-labelledby", title + " " + description);
  if (!zoom.empty()) text += attribute("data-zoom", zoom) + attribute("data-plot", plot_);
  return text + "><title" + attribute("id", title) + ">" + xml_escaped(title_) + "</title>\n<desc" +
         attribute("id", description) + ">" + xml_escaped(description_) + "</desc>\n" + body_ + "</svg>\n";
}

double LogScale::at(double value) const {
  const double share = (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return from + share * (to - from);
}

std::vector<double> LogScale::ticks(double base, size_t most) const {
  const int first = static_cast<int>(std::ceil(std::log(low) / std::log(base) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log(high) / std::log(base) + 1e-9));
  const int count = std::max(0, last - first + 1);
  const int step =
      std::max(1, (count + static_cast<int>(most) - 1) / static_cast<int>(std::max<size_t>(1, most)));
  std::vector<double> result;
  for (int power = first; power <= last; power += step) result.push_back(std::pow(base, power));
  return result;
}

LogScale log_scale(const std::vector<double>& values, double from, double to) {
  double low = HUGE_VAL, high = 0;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (high == 0) low = high = 1;
  const auto decade = [](double value) { return std::pow(10, std::floor(std::log10(value))); };
  LogScale scale{.low = decade(low), .high = 10 * decade(high), .from = from, .to = to};
  for (const double step : {2.0, 5.0})
    if (step * decade(low) <= low) scale.low = step * decade(low);
  for (const double step : {5.0, 2.0, 1.0})
    if (step * decade(high) >= high) scale.high = step * decade(high);
  scale.high = std::max(scale.high, 10 * scale.low);
  return scale;
}

}  // namespace roofline::grader
