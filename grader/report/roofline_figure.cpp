// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "grader/base/units.h"
#include "grader/lab/roof.h"
#include "grader/report/report_figures.h"

namespace roofline::grader {
namespace {

constexpr double kRoofTop = 40, kRoofHeight = 380, kRoofFoot = 52;

bool same_device(const DeviceRecord& a, const DeviceRecord& b) {
  return a.simulated == b.simulated && a.name == b.name;
}

void learn_roofs(DeviceRoofs& roofs, const Result& result) {
  if (result.device.sheet.gbps > 0) roofs.sheet = result.device.sheet;
  const auto learn = [&](const RoofValue& roof) {
    const Roof* known = find_roof(roof.id);  // a result may come from another version
    const RoofKind kind = known ? known->kind : RoofKind::kOther;
    if (kind == RoofKind::kMemory) roofs.copy_gbps = roof.value;
    if (kind == RoofKind::kFp32) roofs.fp32_tflops = roof.value;
    if (kind == RoofKind::kTensor) roofs.tensor_tflops = roof.value;
  };
  for (const Measurement& line : result.measurements)
    if (line.device.empty()) learn(line.roof);  // else it is another device's
  for (const SweepResult& sweep : result.sweeps) {
    learn(sweep.memory_roof);
    learn(sweep.compute_roof);
  }
}

/// What the device counted; on a GPU, which counts nothing, what the lab says a call must do, and the points
/// of a sweep.
std::vector<PlacedPoint> points_of(const Result& result) {
  std::vector<PlacedPoint> points;
  for (const RooflinePoint& point : result.profile.points)
    if (point.flops > 0 && point.dram_bytes > 0 && point.us > 0)
      points.push_back({.what = point.id,
                        .intensity = point.flops / point.dram_bytes,
                        .tflops = point.flops / point.us * 1e-6});
  if (!points.empty()) return points;
  for (const SweepResult& sweep : result.sweeps)
    for (const SweepPoint& point : sweep.points)
      if (point.intensity > 0 && point.tflops > 0)
        points.push_back({.what = sweep.argument + " = " + compact(point.argument, 6),
                          .intensity = point.intensity,
                          .tflops = point.tflops});
  return points;
}

/// Draws one device's roofline.
class Roofline {
 public:
  explicit Roofline(const DeviceRoofline& data)
      : data_(data),
        svg_(kFigureWidth, kRoofTop + kRoofHeight + kRoofFoot, "Roofline of the " + subtitle_of(data.device),
             "Arithmetic rate against arithmetic intensity on logarithmic axes. " + description(data)) {
    std::vector<double> xs = {0.1, 3 * data.roofs.fp32() * 1e3 / data.roofs.memory()}, ys;
    if (data.roofs.tensor() > 0) xs.push_back(3 * data.roofs.tensor() * 1e3 / data.roofs.memory());
    for (const PlacedPoint& point : data.points) {
      xs.push_back(point.intensity / 1.3);
      xs.push_back(point.intensity * 1.3);
      ys.push_back(point.tflops / 1.5);
    }
    ys.push_back(2.5 * std::max(data.roofs.fp32(), data.roofs.tensor()));
    ys.push_back(std::max(1e-6, 0.1 * data.roofs.memory() * 1e-3));
    x_ = log_scale(xs, kFigureLeft, kFigureWidth - kFigureRight);
    y_ = log_scale(ys, kRoofTop + kRoofHeight, kRoofTop);
  }

  Svg draw() {
    axes();
    svg_.clipped("z", {kFigureLeft, kRoofTop}, kFigureWidth - kFigureRight - kFigureLeft, kRoofHeight);
    grid();
    regimes();
    const DataSheet& sheet = data_.roofs.sheet;
    slope(sheet.gbps, std::max(sheet.fp32_tflops, sheet.tensor_tflops), "sheet",
          data_.roofs.copy_gbps > 0 ? "" : "data sheet ");
    flat(sheet.fp32_tflops, sheet.gbps, "sheet", data_.roofs.fp32_tflops > 0 ? "" : "data sheet FP32 ");
    flat(sheet.tensor_tflops, sheet.gbps, "sheet", "data sheet Tensor Cores ");
    slope(data_.roofs.copy_gbps, std::max(data_.roofs.fp32(), data_.roofs.tensor_tflops), "roof", "copy ");
    flat(data_.roofs.fp32_tflops, data_.roofs.memory(), "roof", "FP32 ");
    flat(data_.roofs.tensor_tflops, data_.roofs.memory(), "roof", "Tensor Cores ");
    points();
    svg_.end();
    return std::move(svg_);
  }

 private:
  static std::string description(const DeviceRoofline& data) {
    std::string text = "Memory roof " + compact(data.roofs.memory()) + " GB/s, FP32 roof " +
                       compact(data.roofs.fp32()) + " TFLOP/s";
    if (data.roofs.tensor() > 0) text += ", Tensor Core roof " + compact(data.roofs.tensor()) + " TFLOP/s";
    return text + "; " + std::to_string(data.points.size()) + " graded calls as points.";
  }

  /// 1, 2 and 5 times every power of ten in the scale.
  static std::vector<std::pair<double, bool>> ticks(const LogScale& scale) {
    std::vector<std::pair<double, bool>> ticks;
    for (double power = std::pow(10, std::floor(std::log10(scale.low))); power <= scale.high; power *= 10)
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * power;
        if (value >= scale.low * 0.999 && value <= scale.high * 1.001) ticks.emplace_back(value, digit == 1);
      }
    return ticks;
  }

  void grid() {
    for (const auto& [value, decade] : ticks(x_))
      svg_.line({x_.at(value), y_.to}, {x_.at(value), y_.from}, decade ? "grid" : "grid minor");
    for (const auto& [value, decade] : ticks(y_))
      svg_.line({x_.from, y_.at(value)}, {x_.to, y_.at(value)}, decade ? "grid" : "grid minor");
  }

  void axes() {
    svg_.text({kFigureLeft - 8, kRoofTop - 14}, "TFLOP/s", "note", Svg::Anchor::kStart);
    svg_.text({x_.to, y_.from + 40}, "arithmetic intensity, FLOP per byte of DRAM traffic", "note",
              Svg::Anchor::kEnd);
    svg_.group("zx");
    for (const auto& [value, decade] : ticks(x_))
      svg_.text({x_.at(value), y_.from + 18}, compact(value), decade ? "tick" : "tick minor",
                Svg::Anchor::kMiddle);
    svg_.end();
    svg_.group("zy");
    for (const auto& [value, decade] : ticks(y_))
      svg_.text({x_.from - 8, y_.at(value) + 4}, compact(value), decade ? "tick" : "tick minor",
                Svg::Anchor::kEnd);
    svg_.end();
    svg_.line({x_.from, y_.to}, {x_.from, y_.from}, "axis");
    svg_.line({x_.from, y_.from}, {x_.to, y_.from}, "axis");
  }

  /// Where memory stops being the limit of FP32 work.
  void regimes() {
    const double ridge = data_.roofs.fp32() * 1e3 / data_.roofs.memory();
    if (!(ridge > x_.low && ridge < x_.high)) return;
    const double x = x_.at(ridge), foot = y_.from - 10;
    svg_.line({x, y_.at(data_.roofs.fp32())}, {x, y_.from}, "knee");
    svg_.text({x - 8, foot}, "memory-bound", "note", Svg::Anchor::kEnd);
    svg_.text({x + 8, foot}, "compute-bound (FP32) from " + compact(ridge) + " FLOP/B", "note");
  }

  /// A memory roof up to a rate; without a name its line says enough.
  void slope(double gbps, double top, const std::string& style, const std::string& name) {
    if (!(gbps > 0) || !(top > 0)) return;
    const double from = std::max(x_.low, y_.low * 1e3 / gbps), to = std::min(top * 1e3 / gbps, x_.high);
    const Point a{x_.at(from), y_.at(from * gbps * 1e-3)}, b{x_.at(to), y_.at(to * gbps * 1e-3)};
    svg_.line(a, b, style);
    if (name.empty()) return;
    const double turn = std::atan2(b.y - a.y, b.x - a.x), above = 15;
    svg_.text(
        {a.x + 0.3 * (b.x - a.x) + above * std::sin(turn), a.y + 0.3 * (b.y - a.y) - above * std::cos(turn)},
        name + compact(gbps) + " GB/s", style, Svg::Anchor::kStart, turn * 180 / std::numbers::pi);
  }

  void flat(double tflops, double gbps, const std::string& style, const std::string& name) {
    if (!(tflops > 0) || !(gbps > 0)) return;
    const double from = std::clamp(tflops * 1e3 / gbps, x_.low, x_.high);
    svg_.line({x_.at(from), y_.at(tflops)}, {x_.to, y_.at(tflops)}, style);
    // Left of the knee there is nothing; the data sheet's line and name lie above the others.
    if (!name.empty())
      svg_.text({x_.at(from) - 14, y_.at(tflops) - (style == "sheet" ? 15 : 1)},
                name + compact(tflops) + " TFLOP/s", style, Svg::Anchor::kEnd);
  }

  std::string tooltip(const PlacedPoint& point) const {
    const double roof = std::min(point.intensity * data_.roofs.memory() * 1e-3,
                                 std::max(data_.roofs.fp32(), data_.roofs.tensor()));
    return point.part + " " + point.what + ", attempt " + std::to_string(point.attempt) +
           (point.best ? " (best)" : "") + ": " + compact(point.intensity) + " FLOP/B, " +
           significant(point.tflops) + " TFLOP/s, " + fraction_text(point.tflops / roof) +
           " of what is possible there";
  }

  void points() {
    // The best ones last: they lie on top.
    for (const bool best : {false, true})
      for (const PlacedPoint& point : data_.points)
        if (point.best == best)
          svg_.dot({x_.at(point.intensity), y_.at(point.tflops)}, best ? 5 : 3.5,
                   best           ? "best"
                   : point.passed ? "other"
                                  : "failed",
                   tooltip(point));
    std::map<std::string, std::vector<const PlacedPoint*>> best;
    for (const PlacedPoint& point : data_.points)
      if (point.best) best[point.part].push_back(&point);
    for (const auto& [part, points] : best) {
      name(*points.front());
      if (x_.at(points.back()->intensity) - x_.at(points.front()->intensity) > 120) name(*points.back());
    }
  }

  /// Beside its point, where no other name stands yet.
  void name(const PlacedPoint& point) {
    const Point at{x_.at(point.intensity), y_.at(point.tflops)};
    const double width = 8 * static_cast<double>(point.part.size());
    const std::pair<Point, Svg::Anchor> places[] = {{{at.x + 9, at.y + 4}, Svg::Anchor::kStart},
                                                    {{at.x - 9, at.y + 4}, Svg::Anchor::kEnd},
                                                    {{at.x + 7, at.y + 18}, Svg::Anchor::kStart},
                                                    {{at.x - 7, at.y + 18}, Svg::Anchor::kEnd},
                                                    {{at.x + 7, at.y + 32}, Svg::Anchor::kStart}};
    for (const auto& [place, anchor] : places) {
      const double left = anchor == Svg::Anchor::kStart ? place.x : place.x - width;
      const bool free = std::ranges::none_of(taken_, [&](const Taken& other) {
        return std::abs(other.left - left) < width && std::abs(other.baseline - place.y) < 13;
      });
      if (!free && &place != &places[std::size(places) - 1].first) continue;
      taken_.push_back({left, place.y});
      svg_.text(place, point.part, "name", anchor);
      return;
    }
  }

  struct Taken {
    double left, baseline;
  };

  const DeviceRoofline& data_;
  Svg svg_;
  LogScale x_, y_;
  std::vector<Taken> taken_;
};

}  // namespace

std::vector<DeviceRoofline> rooflines_of(const ReportData& data) {
  std::vector<DeviceRoofline> devices;
  for (const ReportPart& part : data.parts)
    for (size_t i = 0; i < part.attempts.size(); ++i) {
      const Result& result = part.attempts[i].result;
      auto known = std::ranges::find_if(
          devices, [&](const DeviceRoofline& each) { return same_device(each.device, result.device); });
      if (known == devices.end())
        known =
            devices.insert(devices.end(), DeviceRoofline{.device = result.device, .roofs = {}, .points = {}});
      learn_roofs(known->roofs, result);
      if (!in_figures(part, i)) continue;
      for (PlacedPoint& point : points_of(result)) {
        point.part = part.id;
        point.attempt = static_cast<unsigned>(i + 1);
        point.best = &part.attempts[i] == part.best();
        point.passed = result.verdict == Verdict::kPass;
        known->points.push_back(std::move(point));
      }
    }
  std::erase_if(devices, [](const DeviceRoofline& device) {
    return !(device.roofs.memory() > 0 && device.roofs.fp32() > 0) || device.points.empty();
  });
  return devices;
}

Svg roofline_figure(const DeviceRoofline& device) { return Roofline(device).draw(); }

}  // namespace roofline::grader
