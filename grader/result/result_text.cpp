// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/result/result_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/result/sweep_figure.h"
#include "grader/text/svg.h"
#include "grader/text/table.h"

namespace roofline::grader {
namespace {

constexpr int kBarCells = 20;
constexpr size_t kHashDigits = 12;
constexpr size_t kMostAdviceShown = 3;
constexpr double kLeastGain = 0.05;  // of the time: what saves less is for the report

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

std::string medal_text(Medal medal, const Terminal& terminal) {
  if (medal == Medal::kNone) return std::string(terminal.either("–", "-"));
  return terminal.paint(medal == kBestMedal ? Colour::kGreen : Colour::kYellow, name_of(medal));
}

std::string with_unit(double value, const std::string& unit) { return compact(value, 4) + " " + unit; }

/// What a row says of a check. Only the first failed case of a class, or at a line, says everything.
std::string message_in_table(const Result& result, const Check& check, size_t at) {
  // The table of measurements says it with a bar.
  if (check.kind == CheckKind::kPerformance && check.verdict == Verdict::kPass) return {};
  const std::string message = message_of(check, result);
  if (check.kind != CheckKind::kCorrectness || check.verdict != Verdict::kFail) return message;
  const auto told = [&](const Check& before) {
    return before.verdict == Verdict::kFail && before.reason == check.reason && before.line == check.line;
  };
  const auto here = result.checks.begin() + static_cast<std::ptrdiff_t>(at);
  if (std::find_if(result.checks.begin(), here, told) == here) return message;
  return check.line ? "again at line " + std::to_string(check.line) : message.substr(0, message.find('\n'));
}

/// Failed cases in a row of a class that a case above them explains.
size_t short_from(const Result& result, size_t at) {
  const std::vector<Check>& checks = result.checks;
  size_t end = at;
  while (end < checks.size() && checks[end].kind == CheckKind::kCorrectness &&
         checks[end].verdict == Verdict::kFail && checks[end].reason == checks[at].reason &&
         message_in_table(result, checks[end], end) != message_of(checks[end], result))
    ++end;
  return end - at;
}

/// Checks in a row that say one thing together: cases that were not run, questions without an answer.
size_t alike_from(const std::vector<Check>& checks, size_t at) {
  const Check& first = checks[at];
  const auto same = [&](const Check& check) {
    if (check.kind != first.kind || check.verdict != first.verdict || check.reason != first.reason)
      return false;
    return first.reason == Class::kNotAnswered || (!first.message.empty() && check.message == first.message);
  };
  const bool foldable = first.kind == CheckKind::kCorrectness || first.reason == Class::kNotAnswered;
  if (!foldable || first.verdict == Verdict::kPass || first.line) return 1;
  return static_cast<size_t>(
             std::find_if_not(checks.begin() + static_cast<std::ptrdiff_t>(at), checks.end(), same) -
             checks.begin()) -
         at;
}

void add_row(Table& table, const Check& check, const std::string& title, const std::string& message,
             const Terminal& terminal) {
  const bool many_lines = message.find('\n') != std::string::npos;
  table.add({terminal.paint(colour_of(check.verdict), mark_of(check.verdict, terminal)), printable(title),
             verdict_text(check.verdict, check.reason, terminal), many_lines ? "" : message});
  if (many_lines) table.note(message);
}

/// Correctness cases that pass say no more than their number; so do several that say the same.
std::string checks_table(const Result& result, const Terminal& terminal) {
  Table table({{""}, {"check", Column::Align::kWrap}, {"verdict"}, {"", Column::Align::kWrap}});
  const auto quiet = [](const Check& check) {
    return check.kind == CheckKind::kCorrectness && check.verdict == Verdict::kPass;
  };
  const std::vector<Check>& checks = result.checks;
  const auto passed = static_cast<size_t>(std::count_if(checks.begin(), checks.end(), quiet));
  bool counted = false;
  for (size_t i = 0; i < checks.size();) {
    const Check& check = checks[i];
    const size_t alike = alike_from(checks, i);
    if (quiet(check) && passed > 2) {
      if (!counted) add_row(table, check, "correct in " + std::to_string(passed) + " cases", "", terminal);
      counted = true;
    } else if (alike > 2) {
      const bool asked = check.kind == CheckKind::kPrediction;
      const std::string title = check.message.starts_with("not run") ? std::to_string(alike) + " more cases"
                                : asked                              ? std::to_string(alike) + " predictions"
                                        : check.title + " and " + std::to_string(alike - 1) + " more cases";
      add_row(table, check, title, asked ? "prediction.toml has no answers yet" : printable(check.message),
              terminal);
    } else if (const size_t short_ones = short_from(result, i); short_ones > 3) {
      std::string titles;
      for (size_t one = i; one < i + short_ones; ++one)
        titles += (one == i ? "" : "; ") + printable(checks[one].title);
      add_row(table, check, std::to_string(short_ones) + " more cases", titles, terminal);
      i += short_ones;
      continue;
    } else {
      for (size_t one = i; one < i + alike; ++one)
        add_row(table, checks[one], checks[one].title, message_in_table(result, checks[one], one), terminal);
    }
    i += alike;
  }
  return table.empty() ? "" : table.render(terminal);
}

/// What the advisor found in the timed calls, while there is time to win.
std::string advice_text(const Result& result, const Terminal& terminal) {
  if (result.medal == kBestMedal) return {};
  const std::string file = std::filesystem::path(result.source_path).filename().string();
  std::string text;
  size_t shown = 0;
  for (const LineAdvice& advice : result.profile.advice) {
    if (advice.gain < kLeastGain || shown++ == kMostAdviceShown) break;
    const std::string place = advice.line ? file + ":" + std::to_string(advice.line) + ": " : "";
    const std::string gain = " Worth about " + compact(100 * advice.gain, 2) + " % of the time.";
    const std::vector<std::string> lines =
        wrap(place + printable(advice.message) + gain, terminal.width - 10);
    for (size_t i = 0; i < lines.size(); ++i) text += (i ? "          " : "  advice  ") + lines[i] + "\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string measurements_table(const Result& result, const Terminal& terminal) {
  if (result.measurements.empty()) return {};
  using enum Column::Narrow;
  Table table({{"performance", Column::Align::kWrap},
               {result.device.simulated ? "modelled" : "measured", Column::Align::kRight},
               {"roof", Column::Align::kRight, kGoesBelow},
               {"of roof", Column::Align::kRight},
               {"0 to 100 %", Column::Align::kLeft, kGoes},
               {"medal"},
               {"limited by", Column::Align::kLeft, kGoesBelow}});
  std::vector<std::pair<std::string, std::string>> scales;  // of the medals, each once, and for what
  std::vector<Measurement> lines = result.measurements;
  lines.insert(lines.end(), result.shown.begin(), result.shown.end());
  for (const Measurement& m : lines) {
    if (m.achieved == 0 && m.roof.value == 0) continue;  // never timed: its check says why
    const bool graded = m.graded();
    std::vector<double> marks;
    for (const MedalRow& medal : kMedals)
      if (graded && m.thresholds.*medal.value > 0) marks.push_back(m.thresholds.*medal.value);
    const Colour colour = m.medal == Medal::kNone && graded ? Colour::kRed : Colour::kGreen;
    table.add({printable(m.label()), with_unit(m.achieved, m.roof.unit),
               with_unit(m.roof.value, m.roof.unit) + " " + m.roof.id, fraction_text(m.fraction),
               terminal.paint(colour, bar(terminal, m.fraction, kBarCells, marks)),
               graded ? medal_text(m.medal, terminal) : "not graded", m.limiter});
    std::string scale;
    for (const double mark : marks) scale += (scale.empty() ? "" : ", ") + compact(100 * mark) + " %";
    const bool one_step = graded && m.thresholds.lowest() == m.thresholds.highest();  // all or nothing
    if (one_step) scale = compact(100 * m.thresholds.lowest()) + " %";
    const auto same = [&](const auto& known) { return known.first == scale; };
    if (graded && std::ranges::none_of(scales, same)) scales.emplace_back(scale, printable(m.label()));
  }
  if (table.empty()) return {};
  std::string text = "\n" + table.render(terminal);
  for (const auto& [scale, title] : scales) {
    const std::string whose = scales.size() == 1 ? "" : " (" + title + ")";
    const bool one_step = scale.find(',') == std::string::npos;
    const std::string medals = one_step ? std::string(name_of(kBestMedal)) : medal_names();
    for (const std::string& line : wrap(medals + ": " + scale + " of the roof" + whose, terminal.width - 2))
      text += "  " + terminal.paint(Colour::kDim, line) + "\n";
  }
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
               {"0 to 100 %", Align::kLeft, Column::Narrow::kGoes},
               {"limited by", Align::kLeft, Column::Narrow::kGoes}});
  for (const SweepPoint& point : sweep.points)
    table.add({compact(point.argument, 6), compact(point.intensity, 4), significant(point.time.median_us, 4),
               significant(point.gbps, 4), significant(point.tflops), fraction_text(point.roof_fraction),
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

/// "  file    ...", and below the first word what does not fit.
std::string field(const char* name, const std::string& text, const Terminal& terminal) {
  std::string out;
  for (const std::string& line : wrap(text, terminal.width - 10))
    out += (out.empty() ? "  " + pad_right(name, 8) : std::string(10, ' ')) + line + "\n";
  return out;
}

std::string heading(const Result& result, const Terminal& terminal) {
  std::string text = terminal.paint(Colour::kBold, result.part + " " + result.title) + "\n";
  const std::string hash = "sha256 " + result.source_sha256.substr(0, kHashDigits);
  text += field("file", printable(result.source_path) + "  " + terminal.paint(Colour::kDim, hash), terminal);
  std::string device = device_label(result.device);
  if (!result.device.capability.empty()) device += ", compute capability " + result.device.capability;
  if (!result.device.simulated && !result.device.driver.empty()) device += ", driver " + result.device.driver;
  text += field("device", device, terminal);
  if (result.device.simulated)
    text += terminal.paint(Colour::kDim, "          times are modelled, not measured") + "\n";
  if (result.device.changed())
    text +=
        field("", "an experiment: numbers of this GPU were changed; it does not count as progress", terminal);
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
std::string one_time_lines(const Result& result, const Terminal& terminal) {
  std::string text;
  for (const OneTime& cost : result.one_time)
    text += (text.empty() ? "" : ", ") + cost.what + " " + significant(cost.us) + " us";
  const char* kind = result.device.simulated ? "modelled" : "measured";
  if (text.empty()) return {};
  std::string lines;
  for (const std::string& line :
       wrap(std::string("once, ") + kind + ", not graded: " + text, terminal.width - 2))
    lines += "  " + line + "\n";
  return lines;
}

/// What a quick grade says, and what it does not.
std::string brief_end(const Result& result, const Terminal& terminal) {
  const bool wrong = result.verdict == Verdict::kFail || result.verdict == Verdict::kError;
  std::string text = "\n  " +
                     (wrong ? verdict_text(result.verdict, result.reason, terminal)
                            : terminal.paint(Colour::kGreen, "nothing wrong so far")) +
                     format_number("  %.1f s", result.wall_s) + "\n";
  const std::string what =
      "Quick: small cases and one call of each measurement. No medal and no points, and nothing of it is "
      "kept; ./lab grade " +
      result.part + " gives them.";
  for (const std::string& line : wrap(what, terminal.width - 2)) text += "  " + line + "\n";
  return text;
}

}  // namespace

std::string device_label(const DeviceRecord& device) {
  return (device.simulated ? "simulated " : "") + printable(device.name);
}

std::string message_of(const Check& check, const Result& result) {
  const std::string message = printable(check.message);
  if (check.line == 0) return message;
  // Under the course's folder as the heading names it, wherever that folder is.
  std::string file = check.file;
  const std::string folder = std::filesystem::path(result.source_path).parent_path().string();
  if (const size_t at = file.rfind("/" + folder + "/"); !folder.empty() && at != std::string::npos)
    file = file.substr(at + 1);
  else if (file.ends_with("/" + result.source_path))
    file = result.source_path;
  const std::string place = printable(file) + ":" + std::to_string(check.line);
  return message.find(place) == std::string::npos ? place + ": " + message : message;
}

std::string output_of(const Result& result) {
  static constexpr std::string_view kDevice = "simulated GPU: ";
  std::string text;
  std::string last;
  bool told = false;  // by a check, with the lines that belong to it
  for (const std::string& line : wrap(printable(result.program_output), 1 << 20)) {
    if (line.starts_with(kDevice)) {
      // Checks say which argument an allocation was, in place of the call that made it.
      const std::string_view trap =
          std::string_view(line).substr(kDevice.size(), line.rfind(" (") - kDevice.size());
      told = std::ranges::any_of(result.checks, [&](const Check& check) {
        return printable(check.message).find(trap) != std::string::npos;
      });
    } else if (!line.starts_with("    ")) {
      told = false;
    }
    if (!told && line != last) text += line + "\n";  // a case after the other may say the same
    last = line;
  }
  const size_t end = text.find_last_not_of(" \n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

std::string output_text(const Result& result, const Terminal& terminal, int indent) {
  constexpr size_t kMostLines = 20;
  const std::string printed = output_of(result);
  if (printed.empty()) return {};
  const std::string margin(static_cast<size_t>(indent), ' ');
  std::string text = margin + terminal.paint(Colour::kDim, "your program printed") + "\n";
  const std::vector<std::string> lines = wrap(printed, 1 << 20);
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) text += margin + "  " + lines[i] + "\n";
  if (const size_t more = lines.size() - std::min(lines.size(), kMostLines); more > 0)
    text +=
        margin + "  " +
        terminal.paint(Colour::kDim, "and " + std::to_string(more) + " more line" + (more == 1 ? "" : "s")) +
        "\n";
  return text;
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
  text +=
      measurements_table(result, terminal) + one_time_lines(result, terminal) + advice_text(result, terminal);
  if (const std::string printed = output_text(result, terminal, 2); !printed.empty()) text += "\n" + printed;
  if (result.brief) return text + brief_end(result, terminal);
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
  using enum Column::Narrow;
  std::vector<Column> columns = {{"lab"}, {"device", Column::Align::kWrap, kGoesBelow}};
  for (const char* kind : {"build", "correct", "structure", "speed", "prediction"})
    columns.push_back({kind, Column::Align::kLeft, kGoesBelow});
  columns.insert(
      columns.end(),
      {{"of roof", Column::Align::kRight}, {"verdict"}, {"medal"}, {"points", Column::Align::kRight}});
  Table table(std::move(columns));
  double points = 0, most = 0;
  for (const Result& result : results) {
    std::string fractions;
    for (const Measurement& m : result.measurements)
      if (m.graded()) fractions += (fractions.empty() ? "" : ", ") + fraction_text(m.fraction);
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
