// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/sweep_figure.h"

#include <algorithm>
#include <functional>

#include "grader/base/units.h"

namespace roofline::grader {
namespace {

constexpr double kSweepWidth = 720, kSweepPanel = 210, kSweepTop = 78, kSweepLeft = 84, kSweepRight = 24,
                 kSweepGap = 44;

/// One of the stacked diagrams.
struct Panel {
  std::string title, unit;
  std::function<double(const SweepPoint&)> value;
  double roof = 0;  ///< horizontal line; 0: none
  std::string roof_name;
};

class Figure {
 public:
  Figure(const SweepResult& sweep, const DeviceRecord& device, size_t n_panels)
      : sweep_(sweep),
        kind_(device.simulated ? "modelled" : "measured"),
        svg_(kSweepWidth, kSweepTop + static_cast<double>(n_panels) * (kSweepPanel + kSweepGap) + 8,
             sweep.title,
             "Run time, arithmetic rate and bandwidth against " + sweep.argument + " on " + device.name +
                 ", " + kind_) {
    std::vector<double> arguments;
    for (const SweepPoint& point : sweep.points) arguments.push_back(point.argument);
    const auto [low, high] = std::minmax_element(arguments.begin(), arguments.end());
    x_ = {.low = *low / 1.15,
          .high = std::max(*high, *low * 2) * 1.15,
          .from = kSweepLeft,
          .to = kSweepWidth - kSweepRight};
    svg_.text({kSweepLeft, 24}, sweep.title, "title");
    svg_.text({kSweepLeft, 42}, (device.simulated ? "simulated " : "") + device.name + ", " + kind_, "note");
  }

  void draw(const Panel& panel, size_t index) {
    const double top = kSweepTop + static_cast<double>(index) * (kSweepPanel + kSweepGap),
                 bottom = top + kSweepPanel;
    std::vector<double> values;
    for (const SweepPoint& point : sweep_.points) values.push_back(panel.value(point));
    if (panel.roof > 0) values.push_back(1.2 * panel.roof);  // room above the line
    const LogScale y = log_scale(values, bottom, top);
    grid(y, top, bottom);
    svg_.text({kSweepLeft, top - 8}, panel.title + " (" + panel.unit + ")", "label");
    if (panel.roof > 0) {
      svg_.line({x_.from, y.at(panel.roof)}, {x_.to, y.at(panel.roof)}, "roof");
      // Below the line and at the end where the curve is far from it.
      const bool right = panel.value(sweep_.points.back()) < panel.value(sweep_.points.front());
      svg_.text({right ? x_.to - 4 : x_.from + 4, y.at(panel.roof) + 14},
                panel.roof_name + " roof " + compact(panel.roof) + " " + panel.unit, "roof",
                right ? Svg::Anchor::kEnd : Svg::Anchor::kStart);
    }
    knees(top, bottom, index == 0);
    std::vector<Point> curve;
    for (const SweepPoint& point : sweep_.points)
      if (panel.value(point) > 0) curve.push_back({x_.at(point.argument), y.at(panel.value(point))});
    svg_.polyline(curve, "series");
    size_t at = 0;
    for (const SweepPoint& point : sweep_.points)
      if (panel.value(point) > 0)
        svg_.dot(curve[at++], 3, "series",
                 sweep_.argument + " " + compact(point.argument, 6) + ": " + compact(panel.value(point)) +
                     " " + panel.unit + ", " + compact(point.intensity) + " FLOP/B");
  }

  const Svg& svg() const { return svg_; }

 private:
  void grid(const LogScale& y, double top, double bottom) {
    for (const double tick : y.ticks(10, 6)) {
      svg_.line({x_.from, y.at(tick)}, {x_.to, y.at(tick)}, "grid");
      svg_.text({x_.from - 8, y.at(tick) + 4}, compact(tick), "tick", Svg::Anchor::kEnd);
    }
    for (const double tick : x_.ticks(2, 12)) {
      svg_.line({x_.at(tick), bottom}, {x_.at(tick), bottom + 4}, "axis");
      svg_.text({x_.at(tick), bottom + 17}, compact(tick, 6), "tick", Svg::Anchor::kMiddle);
    }
    svg_.line({x_.from, top}, {x_.from, bottom}, "axis");
    svg_.line({x_.from, bottom}, {x_.to, bottom}, "axis");
    svg_.text({x_.to, bottom + 32}, sweep_.argument, "note", Svg::Anchor::kEnd);
  }

  void knees(double top, double bottom, bool named) {
    const auto inside = [&](double argument) { return argument > x_.low && argument < x_.high; };
    if (inside(sweep_.knee)) {
      svg_.line({x_.at(sweep_.knee), top}, {x_.at(sweep_.knee), bottom}, "knee");
      if (named)
        svg_.text({x_.at(sweep_.knee) + 5, top + 14},
                  "knee " + compact(sweep_.knee) + " (" + compact(sweep_.ridge) + " FLOP/B)", "knee");
    }
    if (const auto sheet = data_sheet_knee(sweep_); sheet && inside(*sheet)) {
      svg_.line({x_.at(*sheet), top}, {x_.at(*sheet), bottom}, "sheet");
      if (named)
        svg_.text({x_.at(*sheet) - 5, top + 14}, "data sheet " + compact(*sheet), "sheet", Svg::Anchor::kEnd);
    }
  }

  const SweepResult& sweep_;
  std::string kind_;
  Svg svg_;
  LogScale x_;
};

}  // namespace

std::optional<double> data_sheet_knee(const SweepResult& sweep) {
  if (sweep.points.empty() || sweep.memory_roof.data_sheet <= 0 || sweep.compute_roof.data_sheet <= 0)
    return std::nullopt;
  const SweepPoint& last = sweep.points.back();
  if (last.intensity <= 0) return std::nullopt;
  const double ridge =
      sweep.compute_roof.data_sheet * 1e3 / sweep.memory_roof.data_sheet;  // TFLOP/s over GB/s
  return ridge * last.argument / last.intensity;
}

std::string sweep_svg(const SweepResult& sweep, const DeviceRecord& device) {
  const std::optional<Svg> figure = sweep_figure(sweep, device);
  return figure ? figure->str() : std::string();
}

std::optional<Svg> sweep_figure(const SweepResult& sweep, const DeviceRecord& device) {
  if (sweep.points.empty()) return std::nullopt;
  const std::vector<Panel> panels = {
      {"run time", "us", [](const SweepPoint& p) { return p.time.median_us; }, 0, ""},
      {"arithmetic", "TFLOP/s", [](const SweepPoint& p) { return p.tflops; }, sweep.compute_roof.value,
       sweep.compute_roof.id},
      {"bandwidth", "GB/s", [](const SweepPoint& p) { return p.gbps; }, sweep.memory_roof.value,
       sweep.memory_roof.id}};
  Figure figure(sweep, device, panels.size());
  for (size_t i = 0; i < panels.size(); ++i) figure.draw(panels[i], i);
  return figure.svg();
}

}  // namespace roofline::grader
