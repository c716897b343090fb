// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/report/report_figures.h"

#include <algorithm>
#include <map>

#include "grader/base/units.h"

namespace roofline::grader {
namespace {

// ---- ladder ----

constexpr double kLadderTop = 34, kLadder = 150, kLadderGap = 52;

/// One measurement through all attempts.
struct Rungs {
  Measurement last;              ///< with the thresholds that hold now
  std::vector<double> fraction;  ///< by attempt; negative: it was not reached
};

std::vector<Rungs> rungs_of(const ReportPart& part) {
  std::vector<Rungs> all;
  for (size_t i = 0; i < part.attempts.size(); ++i)
    for (const Measurement& line : part.attempts[i].result.measurements) {
      auto known = std::ranges::find_if(all, [&](const Rungs& rungs) { return rungs.last.id == line.id; });
      if (known == all.end()) {
        known = all.insert(all.end(), Rungs{});
        known->fraction.assign(part.attempts.size(), -1);
      }
      if (line.roof.value > 0) known->fraction[i] = line.fraction;
      if (line.graded() || known->last.id.empty()) known->last = line;
    }
  std::erase_if(all, [](const Rungs& rungs) {
    return std::ranges::none_of(rungs.fraction, [](double fraction) { return fraction >= 0; });
  });
  return all;
}

std::string attempt_text(const Attempt& attempt, size_t i) {
  const Result& result = attempt.result;
  const std::string_view why =
      result.reason == Class::kNone ? name_of(result.verdict) : name_of(result.reason);
  return "attempt " + std::to_string(i + 1) + ", " + result.started + ": " + std::string(why);
}

void draw_rungs(Svg& svg, const ReportPart& part, const Rungs& rungs, double top) {
  std::vector<size_t> shown;
  for (size_t i = 0; i < part.attempts.size(); ++i)
    if (in_figures(part, i)) shown.push_back(i);
  const double bottom = top + kLadder, right = kFigureWidth - 92;
  double most = std::max(1.0, 1.08 * rungs.last.thresholds.highest());
  for (const double fraction : rungs.fraction) most = std::max(most, 1.05 * fraction);
  const auto x = [&](size_t place) {
    return kFigureLeft +
           (static_cast<double>(place) + 0.5) / static_cast<double>(shown.size()) * (right - kFigureLeft);
  };
  const auto y = [&](double fraction) { return bottom - fraction / most * kLadder; };
  svg.text({kFigureLeft, top - 10}, rungs.last.label(), "label");
  double step = 0.5;
  for (const double wider : {1.0, 2.0, 5.0, 10.0, 100.0})
    if (most / step > 4.5) step = wider;
  for (double tick = 0; tick <= most; tick += step) {
    svg.line({kFigureLeft, y(tick)}, {right, y(tick)}, tick == 0 ? "axis" : "grid");
    svg.text({kFigureLeft - 8, y(tick) + 4}, percent_text(tick), "tick", Svg::Anchor::kEnd);
  }
  double free = bottom + 20, before = 0;
  for (const MedalRow& medal : kMedals) {
    const double value = rungs.last.thresholds.*medal.value;
    if (!(value > before)) continue;  // equal thresholds: the first name stands for all
    before = value;
    svg.line({kFigureLeft, y(value)}, {right, y(value)}, "roof");
    free = std::min(y(value), free - 12);
    svg.text({right + 6, free + 4}, std::string(medal.name) + " " + percent_text(value), "roof");
  }
  std::vector<Point> line;
  for (size_t place = 0; place < shown.size(); ++place)
    if (const double fraction = rungs.fraction[shown[place]]; fraction >= 0)
      line.push_back({x(place), y(fraction)});
  svg.polyline(line, "series");
  for (size_t place = 0; place < shown.size(); ++place) {
    const size_t i = shown[place];
    const Attempt& attempt = part.attempts[i];
    const bool reached = rungs.fraction[i] >= 0, best = &attempt == part.best();
    svg.dot(
        {x(place), y(std::max(0.0, rungs.fraction[i]))}, best ? 5 : 4,
        best                                       ? "best"
        : attempt.result.verdict == Verdict::kPass ? "other"
                                                   : "failed",
        attempt_text(attempt, i) + (reached ? ", " + fraction_text(rungs.fraction[i]) + " of the roof" : ""));
    svg.text({x(place), bottom + 17}, std::to_string(i + 1), "tick", Svg::Anchor::kMiddle);
  }
}

// ---- timeline ----

constexpr double kRow = 20, kRowGap = 8, kTimeTop = 40;

/// Which row a span stands in, and its name.
std::string row_of(const TimelineSpan& span) {
  if (span.kind == "call" || span.kind == "wait") return "host";
  if (span.kind == "copy-in") return "copy in";
  if (span.kind == "copy-out") return "copy out";
  return "stream " + std::to_string(span.stream);
}

std::string style_of(const TimelineSpan& span) { return span.kind.starts_with("copy") ? "copy" : span.kind; }

}  // namespace

std::string subtitle_of(const DeviceRecord& device) {
  return (device.simulated ? "simulated " : "") + device.name +
         (device.simulated ? ", modelled" : ", measured");
}

bool in_figures(const ReportPart& part, size_t attempt) {
  return attempt + kMostAttempts >= part.attempts.size() || &part.attempts[attempt] == part.best();
}

std::optional<Svg> ladder_figure(const ReportPart& part) {
  const std::vector<Rungs> all = rungs_of(part);
  if (part.attempts.size() < 2 || all.empty()) return std::nullopt;
  const auto panels = static_cast<double>(all.size());
  Svg svg(kFigureWidth, kLadderTop + panels * (kLadder + kLadderGap), "Ladder of attempts, " + part.id,
          "Fraction of the roof reached by the latest attempts and the best one, in their order, with the "
          "thresholds of the medals as lines");
  double top = kLadderTop;
  for (const Rungs& rungs : all) {
    draw_rungs(svg, part, rungs, top);
    top += kLadder + kLadderGap;
  }
  svg.text({kFigureWidth - 92, top - 16}, "attempt", "note", Svg::Anchor::kEnd);
  return svg;
}

std::optional<Svg> timeline_figure(const Timeline& timeline, const DeviceRecord& device) {
  if (timeline.spans.empty() || !(timeline.shown_us > 0)) return std::nullopt;
  std::map<std::string, double> rows;
  for (const TimelineSpan& span : timeline.spans) rows[row_of(span)] = 0;
  // The host first, then streams, then the copy engines.
  std::vector<std::string> order;
  for (const std::string_view prefix : {"host", "stream", "copy"})
    for (const auto& [row, place] : rows)
      if (row.starts_with(prefix)) order.push_back(row);
  for (size_t i = 0; i < order.size(); ++i)
    rows[order[i]] = kTimeTop + static_cast<double>(i) * (kRow + kRowGap);
  const double bottom = kTimeTop + static_cast<double>(order.size()) * (kRow + kRowGap);
  const double scale = (kFigureWidth - kFigureLeft - kFigureRight) / timeline.shown_us;
  Svg svg(kFigureWidth, bottom + 34, "Timeline of a graded call",
          "Host calls, streams and copy engines over the first " + compact(timeline.shown_us) + " of " +
              compact(timeline.whole_us) + " us, " + subtitle_of(device));
  svg.text({kFigureLeft, 18},
           "the first " + compact(timeline.shown_us) + " of " + compact(timeline.whole_us) + " us", "note");
  for (const std::string& row : order)
    svg.text({kFigureLeft - 8, rows[row] + 14}, row, "tick", Svg::Anchor::kEnd);
  svg.clipped("z", {kFigureLeft, kTimeTop - 4}, kFigureWidth - kFigureLeft - kFigureRight,
              bottom - kTimeTop + 4);
  for (const TimelineSpan& span : timeline.spans) {
    if (span.start_us >= timeline.shown_us) continue;
    const double from = span.start_us * scale, to = std::min(span.end_us, timeline.shown_us) * scale;
    svg.box({kFigureLeft + from, rows[row_of(span)]}, std::max(0.5, to - from - 0.3), kRow, style_of(span),
            span.name + ", " + significant(span.start_us) + " to " + significant(span.end_us) + " us");
  }
  svg.end();
  svg.line({kFigureLeft, bottom}, {kFigureWidth - kFigureRight, bottom}, "axis");
  svg.group("zx");
  for (int i = 0; i <= 4; ++i) {
    const double at = timeline.shown_us * i / 4;
    svg.text({kFigureLeft + at * scale, bottom + 18}, compact(at) + (i == 4 ? " us" : ""), "tick",
             i == 4 ? Svg::Anchor::kEnd : Svg::Anchor::kMiddle);
  }
  svg.end();
  return svg;
}

}  // namespace roofline::grader
