// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "grader/svg.h"
#include "grader/sweep_figure.h"
#include "grader/table.h"

namespace roofline::grader {
namespace {

constexpr int kBarCells = 20;
constexpr size_t kHashDigits = 12;

Colour colour_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return Colour::kGreen;
    case Verdict::kFail:
      return Colour::kRed;
    default:
      return Colour::kYellow;
  }
}

std::string_view mark_of(Verdict verdict, const Terminal& terminal) {
  if (verdict == Verdict::kPass) return terminal.either("✓", "+");
  if (verdict == Verdict::kFail) return terminal.either("✗", "x");
  return "!";
}

std::string percent(double fraction) {
  if (!std::isfinite(fraction)) return "-";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, fraction < 0.0995 ? "%.2g %%" : "%.1f %%", 100 * fraction);
  return buffer;
}

std::string medal_text(Medal medal, const Terminal& terminal) {
  if (medal == Medal::kNone) return std::string(terminal.either("–", "-"));
  return terminal.paint(medal == Medal::kExcellent ? Colour::kGreen : Colour::kYellow, name_of(medal));
}

std::string with_unit(double value, const std::string& unit) { return compact(value, 4) + " " + unit; }

void add_check(Table& table, const Check& check, const Terminal& terminal) {
  std::string message = printable(check.message);
  // The table of measurements says it with a bar.
  if (check.kind == CheckKind::kPerformance && check.verdict == Verdict::kPass) message.clear();
  if (check.line && message.find(check.file + ":" + std::to_string(check.line)) == std::string::npos)
    message = check.file + ":" + std::to_string(check.line) + ": " + message;
  table.add({terminal.paint(colour_of(check.verdict), mark_of(check.verdict, terminal)),
             printable(check.title), verdict_text(check.verdict, check.reason, terminal), message});
}

/// Correctness cases that pass say no more than their number.
std::string checks_table(const Result& result, const Terminal& terminal) {
  Table table({{""}, {"check", Column::Align::kWrap}, {"verdict"}, {"", Column::Align::kWrap}});
  const auto quiet = [](const Check& check) {
    return check.kind == CheckKind::kCorrectness && check.verdict == Verdict::kPass;
  };
  const auto passed = static_cast<size_t>(std::count_if(result.checks.begin(), result.checks.end(), quiet));
  bool counted = false;
  for (const Check& check : result.checks) {
    if (!quiet(check) || passed <= 2) {
      add_check(table, check, terminal);
    } else if (!counted) {
      counted = true;
      table.add({terminal.paint(Colour::kGreen, mark_of(Verdict::kPass, terminal)),
                 "correct in " + std::to_string(passed) + " cases",
                 verdict_text(Verdict::kPass, Class::kNone, terminal), ""});
    }
  }
  return table.empty() ? "" : table.render(terminal);
}

std::string measurements_table(const Result& result, const Terminal& terminal) {
  if (result.measurements.empty()) return {};
  Table table({{"performance", Column::Align::kWrap},
               {result.device.simulated ? "modelled" : "measured", Column::Align::kRight},
               {"roof", Column::Align::kRight},
               {"of roof", Column::Align::kRight},
               {"0 to 100 %"},
               {"medal"},
               {"limited by"}});
  std::vector<std::string> scales;  // of the medals, each once
  std::vector<Measurement> lines = result.measurements;
  lines.insert(lines.end(), result.shown.begin(), result.shown.end());
  for (const Measurement& m : lines) {
    const bool graded = m.pass > 0;
    const std::vector<double> marks =
        graded ? std::vector{m.pass, m.good, m.excellent} : std::vector<double>{};
    const Colour colour = m.medal == Medal::kNone && graded ? Colour::kRed : Colour::kGreen;
    table.add({printable(m.title.empty() ? m.id : m.title), with_unit(m.achieved, m.roof.unit),
               with_unit(m.roof.value, m.roof.unit) + " " + m.roof.id, percent(m.fraction),
               terminal.paint(colour, bar(terminal, m.fraction, kBarCells, marks)),
               graded ? medal_text(m.medal, terminal) : "not graded", m.limiter});
    std::string scale;
    for (const double mark : marks) scale += (scale.empty() ? "" : ", ") + compact(100 * mark) + " %";
    if (graded && std::find(scales.begin(), scales.end(), scale) == scales.end()) scales.push_back(scale);
  }
  std::string text = "\n" + table.render(terminal);
  for (const std::string& scale : scales)
    text += "  " + terminal.paint(Colour::kDim, "pass, good, excellent: " + scale + " of the roof") + "\n";
  return text;
}

std::string sweep_table(const SweepResult& sweep, const DeviceRecord& device, const Terminal& terminal) {
  using Align = Column::Align;
  Table table({{sweep.argument, Align::kRight},
               {"FLOP/B", Align::kRight},
               {"us", Align::kRight},
               {"GB/s", Align::kRight},
               {"TFLOP/s", Align::kRight},
               {"of roof", Align::kRight},
               {"0 to 100 %"},
               {"limited by"}});
  for (const SweepPoint& point : sweep.points)
    table.add({compact(point.argument, 6), compact(point.intensity, 4), significant(point.time.median_us, 4),
               significant(point.gbps, 4), significant(point.tflops), percent(point.roof_fraction),
               terminal.paint(Colour::kBlue, bar(terminal, point.roof_fraction, kBarCells)), point.limiter});
  std::string text = "\n  " + terminal.paint(Colour::kBold, sweep.title) +
                     (device.simulated ? ", modelled\n" : ", measured\n") + table.render(terminal);
  std::string sentence = "The roofs " + with_unit(sweep.memory_roof.value, sweep.memory_roof.unit) + " (" +
                         sweep.memory_roof.id + ") and " +
                         with_unit(sweep.compute_roof.value, sweep.compute_roof.unit) + " (" +
                         sweep.compute_roof.id + ") meet at " + compact(sweep.ridge) + " FLOP/B, " +
                         sweep.argument + " " + compact(sweep.knee);
  if (const auto sheet = data_sheet_knee(sweep))
    sentence += "; the data sheet's at " + sweep.argument + " " + compact(*sheet);
  for (const std::string& line : wrap(sentence + ".", terminal.width - 4)) text += "  " + line + "\n";
  return text;
}

std::string heading(const Result& result, const Terminal& terminal) {
  std::string text = terminal.paint(Colour::kBold, result.part + " " + result.title) + "\n";
  text += "  file    " + printable(result.source_path) + "  " +
          terminal.paint(Colour::kDim, "sha256 " + result.source_sha256.substr(0, kHashDigits)) + "\n";
  text += "  device  " + device_label(result.device);
  if (!result.device.capability.empty()) text += ", compute capability " + result.device.capability;
  if (!result.device.simulated && !result.device.driver.empty()) text += ", driver " + result.device.driver;
  text += "\n";
  if (result.device.simulated)
    text += terminal.paint(Colour::kDim, "          times are modelled, not measured") + "\n";
  return text + "  seed    " + std::to_string(result.seed) + "\n\n";
}

/// "✓ 20", "✗ 3/20", or a dash where nothing of this kind was checked.
std::string passed_of_kind(const Result& result, CheckKind kind, const Terminal& terminal) {
  int all = 0, passed = 0;
  Verdict worst = Verdict::kPass;
  for (const Check& check : result.checks) {
    if (check.kind != kind) continue;
    ++all;
    if (check.verdict == Verdict::kPass) {
      ++passed;
    } else if (worst != Verdict::kFail) {
      worst = check.verdict;
    }
  }
  if (all == 0) return std::string(terminal.either("–", "-"));
  const std::string counts =
      passed == all ? std::to_string(all) : std::to_string(passed) + "/" + std::to_string(all);
  return terminal.paint(colour_of(worst), std::string(mark_of(worst, terminal)) + " " + counts);
}

/// What comes before the first result, apart from what is graded.
std::string one_time_line(const Result& result) {
  std::string text;
  for (const OneTime& cost : result.one_time)
    text += (text.empty() ? "" : ", ") + cost.what + " " + significant(cost.us) + " us";
  const char* kind = result.device.simulated ? "modelled" : "measured";
  return text.empty() ? "" : std::string("  once, ") + kind + ", not graded: " + text + "\n";
}

}  // namespace

std::string device_label(const DeviceRecord& device) {
  return (device.simulated ? "simulated " : "") + printable(device.name);
}

std::string verdict_text(Verdict verdict, Class reason, const Terminal& terminal) {
  const bool plain = reason == Class::kNone || verdict == Verdict::kSkipped;
  const std::string_view name = plain ? name_of(verdict) : name_of(reason);
  return terminal.paint(colour_of(verdict), name);
}

std::string result_text(const Result& result, const Terminal& terminal) {
  std::string text = heading(result, terminal) + checks_table(result, terminal);
  for (const SweepResult& sweep : result.sweeps)
    if (!sweep.points.empty()) text += sweep_table(sweep, result.device, terminal);
  text += measurements_table(result, terminal) + one_time_line(result);
  if (!result.program_output.empty()) {
    text += "\n  " + terminal.paint(Colour::kDim, "your program printed") + "\n";
    for (const std::string& line : wrap(printable(result.program_output), 1 << 20))
      text += "    " + line + "\n";
  }
  char tail[96];
  std::snprintf(tail, sizeof tail, "  %s of %s points  %.1f s", compact(result.points, 4).c_str(),
                compact(result.max_points, 4).c_str(), result.wall_s);
  text += "\n  " + verdict_text(result.verdict, result.reason, terminal);
  if (result.medal != Medal::kNone) text += "  " + medal_text(result.medal, terminal);
  return text + tail + "\n";
}

std::string summary_text(const std::vector<Result>& results, const Terminal& terminal) {
  static constexpr CheckKind kKinds[] = {CheckKind::kBuild, CheckKind::kCorrectness, CheckKind::kStructure,
                                         CheckKind::kPerformance, CheckKind::kPrediction};
  std::vector<Column> columns = {
      {"lab"},       {"device", Column::Align::kWrap}, {"build"}, {"correct"}, {"structure"}, {"speed"},
      {"prediction"}};
  columns.insert(
      columns.end(),
      {{"of roof", Column::Align::kRight}, {"verdict"}, {"medal"}, {"points", Column::Align::kRight}});
  Table table(std::move(columns));
  double points = 0, most = 0;
  for (const Result& result : results) {
    std::string fractions;
    for (const Measurement& m : result.measurements)
      if (m.pass > 0) fractions += (fractions.empty() ? "" : ", ") + percent(m.fraction);
    std::vector<std::string> row = {result.part + " " + result.lab.substr(result.lab.find('-') + 1),
                                    device_label(result.device)};
    for (const CheckKind kind : kKinds) row.push_back(passed_of_kind(result, kind, terminal));
    row.insert(row.end(), {fractions, verdict_text(result.verdict, result.reason, terminal),
                           medal_text(result.medal, terminal),
                           compact(result.points, 4) + "/" + compact(result.max_points, 4)});
    table.add(std::move(row));
    points += result.points;
    most += result.max_points;
  }
  table.rule();
  table.add({"all", "", "", "", "", "", "", "", "", "", compact(points, 5) + "/" + compact(most, 5)});
  return table.render(terminal);
}

}  // namespace roofline::grader
