// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/bench/bench_figure.h"

#include <algorithm>
#include <iterator>

#include "grader/base/units.h"
#include "grader/text/svg.h"

namespace roofline::grader {
namespace {

constexpr double kWidth = 720, kLeft = 84, kRight = 24;
constexpr const char* kColours[] = {"c0", "c1", "c2", "c3", "c4"};

std::string subtitle(const DeviceRecord& device) {
  return (device.simulated ? "simulated " : "") + device.name +
         (device.simulated ? ", modelled" : ", measured");
}

// ---- times ----

constexpr double kTop = 64, kPlot = 260;

void axes(Svg& svg, const Bench& bench, const LogScale& x, const LogScale& y) {
  for (const double tick : y.ticks(10, 6)) {
    svg.line({x.from, y.at(tick)}, {x.to, y.at(tick)}, "grid");
    svg.text({x.from - 8, y.at(tick) + 4}, compact(tick), "tick", Svg::Anchor::kEnd);
  }
  for (const double value : bench.values) {
    svg.line({x.at(value), y.from}, {x.at(value), y.from + 4}, "axis");
    svg.text({x.at(value), y.from + 17}, compact(value, 7), "tick", Svg::Anchor::kMiddle);
  }
  svg.line({x.from, y.to}, {x.from, y.from}, "axis");
  svg.line({x.from, y.from}, {x.to, y.from}, "axis");
  svg.text({x.to, y.from + 32}, bench.argument, "note", Svg::Anchor::kEnd);
}

// ---- timelines ----

constexpr double kLane = 74, kRow = 16, kHead = 66;

using Span = sim::TraceSpan;

bool is_wait(const Span& span) { return span.name.find("Synchronize") != std::string::npos; }
bool is_launch(const Span& span) {
  return span.kind == Span::Kind::kCall &&
         (span.name == "cudaLaunchKernel" || span.name == "cudaGraphLaunch");
}
bool is_work(const Span& span) {
  return span.kind != Span::Kind::kCall && span.kind != Span::Kind::kEventRecord &&
         span.kind != Span::Kind::kEventWait;
}

std::string tooltip(const Span& span, double begin) {
  return span.name + ": " + significant((span.start - begin) * 1e6) + " to " +
         significant((span.end - begin) * 1e6) + " us";
}

/// Two rows, and how many kernels have ended within the window.
void lane(Svg& svg, const BenchCurve& curve, double top, double window_us) {
  const auto first = std::ranges::find_if(curve.timeline.spans, is_launch);
  if (first == curve.timeline.spans.end()) return;
  const double begin = first->start, scale = (kWidth - kLeft - kRight) / window_us;
  const double host = top + 12, device = host + kRow + 6;
  unsigned kernels = 0;
  for (const Span& span : curve.timeline.spans) {
    const double from = (span.start - begin) * 1e6, to = std::min((span.end - begin) * 1e6, window_us);
    const bool call = span.kind == Span::Kind::kCall;
    if (from < 0 || from >= window_us || !(call || is_work(span))) continue;
    const char* style = call                               ? (is_wait(span) ? "wait" : "call")
                        : span.kind == Span::Kind::kKernel ? "kernel"
                                                           : "copy";
    kernels += span.kind == Span::Kind::kKernel && (span.end - begin) * 1e6 <= window_us;
    // A hair of space between neighbours.
    svg.box({kLeft + from * scale, call ? host : device}, std::max(0.4, (to - from) * scale - 0.4), kRow,
            style, tooltip(span, begin));
  }
  svg.text({kLeft, top + 6}, curve.name + ": " + std::to_string(kernels) + " kernels", "label");
  svg.text({kLeft - 8, host + 12}, "host", "tick", Svg::Anchor::kEnd);
  svg.text({kLeft - 8, device + 12}, "stream", "tick", Svg::Anchor::kEnd);
}

}  // namespace

std::string bench_svg(const Bench& bench, const std::vector<BenchCurve>& curves, const DeviceRecord& device) {
  std::vector<double> all;
  for (const BenchCurve& curve : curves) all.insert(all.end(), curve.us.begin(), curve.us.end());
  if (all.empty()) return {};
  const LogScale x{.low = bench.values.front() / 1.2,
                   .high = bench.values.back() * 1.2,
                   .from = kLeft,
                   .to = kWidth - kRight};
  const LogScale y = log_scale(all, kTop + kPlot, kTop);
  Svg svg(kWidth, kTop + kPlot + 44, bench.title,
          "Time (" + bench.unit + ") against " + bench.argument + ", " + subtitle(device));
  svg.text({kLeft, 24}, bench.title, "title");
  svg.text({kLeft, 42}, subtitle(device) + ", " + bench.unit, "note");
  axes(svg, bench, x, y);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const BenchCurve& curve = curves[c];
    const char* colour = kColours[c % std::size(kColours)];
    std::vector<Point> points;
    for (std::size_t i = 0; i < curve.us.size(); ++i)
      points.push_back({x.at(bench.values[i]), y.at(curve.us[i])});
    if (points.empty()) continue;
    svg.polyline(points, colour);
    for (std::size_t i = 0; i < points.size(); ++i)
      svg.dot(points[i], 3, colour,
              curve.name + ", " + bench.argument + " = " + compact(bench.values[i], 7) + ": " +
                  significant(curve.us[i], 4) + " " + bench.unit);
    svg.text({points.front().x + 6, points.front().y - 6}, curve.name, colour);
  }
  return svg.str();
}

std::string timeline_svg(const Bench& bench, const std::vector<BenchCurve>& curves,
                         const DeviceRecord& device) {
  const auto has_timeline = [](const BenchCurve& curve) { return !curve.timeline.spans.empty(); };
  const auto count = static_cast<double>(std::ranges::count_if(curves, has_timeline));
  if (count == 0) return {};
  const double height = kHead + count * kLane + 24, bottom = height - 26;
  Svg svg(kWidth, height, "Timelines of the versions",
          "Host calls and kernels of each version on one scale of time, " + subtitle(device));
  svg.text({kLeft, 24}, "The first " + compact(bench.timeline_us) + " us of each version", "title");
  svg.text({kLeft, 42},
           subtitle(device) + ", " + bench.argument + " = " + compact(bench.timeline_at, 7) +
               "; grey: a call of the host, light: it waits",
           "note");
  double top = kHead;
  for (const BenchCurve& curve : curves) {
    if (!has_timeline(curve)) continue;
    lane(svg, curve, top, bench.timeline_us);
    top += kLane;
  }
  const double scale = (kWidth - kLeft - kRight) / bench.timeline_us;
  svg.line({kLeft, bottom}, {kWidth - kRight, bottom}, "axis");
  for (int i = 0; i <= 4; ++i) {
    const double at = bench.timeline_us * i / 4;
    svg.line({kLeft + at * scale, bottom}, {kLeft + at * scale, bottom + 4}, "axis");
    svg.text({kLeft + at * scale, bottom + 17}, compact(at) + (i == 4 ? " us" : ""), "tick",
             Svg::Anchor::kMiddle);
  }
  return svg.str();
}

}  // namespace roofline::grader
