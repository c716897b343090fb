// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/report/report_sections.h"

#include <algorithm>
#include <utility>

#include "grader/base/units.h"
#include "grader/learner/steps.h"
#include "grader/report/report_figures.h"
#include "grader/result/sweep_figure.h"

namespace roofline::grader {
namespace {

constexpr size_t kHashDigits = 12, kMostMessage = 1200, kMostOutput = 4096;

std::string with_unit(double value, const std::string& unit) { return compact(value, 4) + " " + unit; }

void chip(Html& html, std::string_view text, std::string_view style) {
  html.element("span", text, {{"class", "chip " + std::string(style)}});
}

const char* mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "✓";
    case Verdict::kFail:
    case Verdict::kError:
      return "✗";
    default:
      return "–";
  }
}

/// "labs/01-pointwise/pointwise.cu" without its folders: the section says where the file is.
std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void one_line(Html& html, Verdict verdict, const std::string& text) {
  html.open("li").element("b", mark_of(verdict), {{"class", verdict == Verdict::kPass ? "passed" : "open"}});
  html.text(text).close();
}

void check_entry(Html& html, const Check& check) {
  const bool passed = check.verdict == Verdict::kPass, open = check.verdict == Verdict::kSkipped;
  html.open("li").element("b", mark_of(check.verdict),
                          {{"class", passed ? "passed"
                                     : open ? "open"
                                            : "failed"}});
  html.text(check.label()).text(": ");
  const bool plain = check.reason == Class::kNone || open;
  html.element("b", plain ? name_of(check.verdict) : name_of(check.reason));
  if (check.line > 0)
    html.text(" ").element("code", file_name(check.file) + ":" + std::to_string(check.line));
  if (!check.message.empty())
    html.element("p", check.message.substr(0, kMostMessage), {{"class", "message"}});
  html.close();
}

/// Correct cases and unanswered predictions are one line each; all else says what was seen.
void checks(Html& html, const Result& result) {
  html.element("h3", "Checks").open("ul", {{"class", "checks"}});
  const auto right = [](const Check& check) {
    return check.kind == CheckKind::kCorrectness && check.verdict == Verdict::kPass;
  };
  const auto unanswered = [](const Check& check) {
    return check.kind == CheckKind::kPrediction && check.verdict == Verdict::kSkipped;
  };
  const auto all_right = std::ranges::count_if(result.checks, right);
  const auto all_unanswered = std::ranges::count_if(result.checks, unanswered);
  bool right_said = false, unanswered_said = false;
  for (const Check& check : result.checks) {
    if (right(check)) {
      if (!std::exchange(right_said, true))
        one_line(html, Verdict::kPass,
                 "correct in " + std::to_string(all_right) + (all_right == 1 ? " case" : " cases"));
    } else if (unanswered(check)) {
      if (!std::exchange(unanswered_said, true))
        one_line(html, Verdict::kSkipped,
                 "prediction: " + std::to_string(all_unanswered) +
                     (all_unanswered == 1 ? " question has" : " questions have") + " no answer yet");
    } else {
      check_entry(html, check);
    }
  }
  html.close();
}

void measurements(Html& html, const Result& result) {
  if (result.measurements.empty()) return;
  html.element("h3", "Performance").open("div", {{"class", "scroll"}});
  html.open("table", {{"class", "stacked"}}).open("thead").open("tr");
  html.element("th", how_known(result.device), {{"scope", "col"}});
  html.element("th", "reached", {{"scope", "col"}, {"class", "n"}});
  html.element("th", "roof", {{"scope", "col"}, {"class", "n"}});
  for (const char* head : {"of the roof", "medal"}) html.element("th", head, {{"scope", "col"}});
  html.close().close().open("tbody");
  for (const Measurement& line : result.measurements) {
    html.open("tr").element("th", line.label(), {{"scope", "row"}});
    if (!(line.roof.value > 0)) {
      html.element("td", "not timed", {{"colspan", "4"}}).close();
      continue;
    }
    html.element("td", with_unit(line.achieved, line.roof.unit), {{"class", "n"}, {"data-label", "reached"}});
    html.element("td", with_unit(line.roof.value, line.roof.unit) + " " + line.roof.id,
                 {{"class", "n"}, {"data-label", "roof"}});
    html.open("td");
    roof_bar(html, line);
    html.close().open("td");
    if (line.medal != Medal::kNone) chip(html, name_of(line.medal), name_of(line.medal));
    html.close().close();
  }
  html.close().close().close();
  if (!result.one_time.empty()) {
    std::string text = "Once, " + how_known(result.device) + ", not graded:";
    for (const OneTime& cost : result.one_time)
      text +=
          (&cost == &result.one_time.front() ? " " : ", ") + cost.what + " " + significant(cost.us) + " us";
    html.element("p", text, {{"class", "soft"}});
  }
}

/// The steps on the way, and what each brought.
void steps(Html& html, const ReportPart& part, const Result& last) {
  const std::vector<StepState> states = step_states(last.steps, part.attempts, last.device);
  if (states.empty()) return;
  html.element("h3", "Steps").open("ol", {{"class", "checks"}});
  bool next_said = false;
  for (const StepState& state : states) {
    const bool reached = state.step.reached;
    html.open("li").element("b", mark_of(reached ? Verdict::kPass : Verdict::kSkipped),
                            {{"class", reached ? "passed" : "open"}});
    const std::string gain = gain_text(state);
    html.text(" " + state.step.title + (gain.empty() ? "" : ": " + gain));
    if (reached) html.text(" (attempt " + std::to_string(state.attempt) + ")");
    if (!reached && !next_said && !state.step.how.empty())
      html.element("p", state.step.how, {{"class", "message"}});
    next_said = next_said || !reached;
    html.close();
  }
  html.close();
}

void ladder(Html& html, const ReportPart& part) {
  const auto figure = ladder_figure(part);
  if (!figure) return;
  html.element("h3", "Your attempts").open("figure").open("div", {{"class", "scroll"}});
  html.figure(*figure, "ladder-" + part.id).close();
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < part.attempts.size(); ++i) {
    if (!in_figures(part, i)) continue;
    const Result& result = part.attempts[i].result;
    std::string fractions;
    for (const Measurement& line : result.measurements)
      if (line.roof.value > 0) fractions += (fractions.empty() ? "" : ", ") + fraction_text(line.fraction);
    rows.push_back(
        {std::to_string(i + 1), result.started,
         std::string(result.reason == Class::kNone ? name_of(result.verdict) : name_of(result.reason)),
         fractions, compact(result.points, 4), result.source_sha256.substr(0, 8)});
  }
  table_for_figure(html, "attempts", {"attempt", "when (UTC)", "verdict", "of the roof", "points", "source"},
                   rows);
  html.close();
}

void sweeps(Html& html, const ReportPart& part, const Result& result) {
  for (size_t i = 0; i < result.sweeps.size(); ++i) {
    SweepResult sweep = result.sweeps[i];
    sweep.title = part.title;  // a stored sweep knows the title of a check alone
    const auto figure = sweep_figure(sweep, result.device);
    if (!figure) continue;
    html.element("h3", "Sweep: " + sweep.argument).open("figure").open("div", {{"class", "scroll"}});
    html.figure(*figure, "sweep-" + part.id + "-" + std::to_string(i)).close();
    std::vector<std::vector<std::string>> rows;
    for (const SweepPoint& point : sweep.points)
      rows.push_back({compact(point.argument, 6), compact(point.intensity, 4),
                      significant(point.time.median_us, 4), significant(point.tflops),
                      significant(point.gbps, 4), fraction_text(point.roof_fraction)});
    table_for_figure(html, "sweep", {sweep.argument, "FLOP/B", "us", "TFLOP/s", "GB/s", "of the roof"}, rows);
    html.close();
  }
}

void timeline(Html& html, const ReportPart& part) {
  const Attempt* shown = nullptr;
  for (const Attempt& attempt : part.attempts)
    if (!attempt.result.profile.timeline.spans.empty()) shown = &attempt;
  if (shown == nullptr) return;
  const Timeline& line = shown->result.profile.timeline;
  const auto figure = timeline_figure(line, shown->result.device);
  if (!figure) return;
  html.element("h3", "Timeline of a graded call, " + how_known(shown->result.device));
  html.open("figure").open("div", {{"class", "scroll"}}).figure(*figure, "timeline-" + part.id, "x").close();
  html.open("ul", {{"class", "legend"}});
  for (const auto& [style, text] : {std::pair{"call", "host call"},
                                    {"wait", "the host waits"},
                                    {"kernel", "kernel"},
                                    {"copy", "copy"},
                                    {"fill", "fill"}})
    html.open("li", {{"class", style}}).element("i", "").text(text).close();
  html.close();
  struct Sum {
    std::string what;
    size_t count = 0;
    double us = 0;
  };
  std::vector<Sum> sums;
  for (const TimelineSpan& span : line.spans) {
    const std::string what = span.kind + ": " + span.name;
    auto known = std::ranges::find(sums, what, &Sum::what);
    if (known == sums.end()) known = sums.insert(sums.end(), Sum{what});
    ++known->count;
    known->us += span.end_us - span.start_us;
  }
  std::vector<std::vector<std::string>> rows;
  for (const Sum& sum : sums) rows.push_back({sum.what, std::to_string(sum.count), significant(sum.us)});
  table_for_figure(html, "timeline, summed", {"what", "times", "us in all"}, rows);
  html.close();
}

void facts(Html& html, const ReportPart& part, const Result& last) {
  html.open("dl");
  const auto fact = [&](const char* name, const std::string& value) {
    if (!value.empty()) html.element("dt", name).element("dd", value);
  };
  if (!last.source_sha256.empty())
    fact("file", last.source_path + ", sha256 " + last.source_sha256.substr(0, kHashDigits));
  if (!last.device.name.empty())
    fact("device", device_text(last.device) + "; times are " + how_known(last.device));
  if (!last.started.empty())  // a class's results do not say when: they are the same bytes each time
    fact("graded", "attempt " + std::to_string(part.attempts.size()) + ", " + last.started +
                       format_number(", %.1f s to grade", last.wall_s));
  html.close();
}

void state_line(Html& html, const ReportPart& part) {
  const Attempt* best = part.best();
  const auto number = [&](const Attempt* attempt) {
    return std::to_string(attempt - part.attempts.data() + 1);
  };
  html.open("p");
  outcome_chip(html, part.last()->result);
  html.text(" " + compact(part.last()->result.points, 4) + " of " +
            compact(part.last()->result.max_points, 4) + " points");
  if (best != part.last()) {
    html.text(" in the last attempt; the best is attempt " + number(best) + ": ");
    outcome_chip(html, best->result);
    html.text(" " + compact(best->result.points, 4) + " points");
  }
  html.close();
}

}  // namespace

void outcome_chip(Html& html, const Result& result) {
  if (result.verdict == Verdict::kPass)
    return chip(html, result.medal == Medal::kNone ? "passed" : name_of(result.medal),
                result.medal == Medal::kNone ? "passed" : name_of(result.medal));
  const bool open = result.verdict == Verdict::kSkipped || result.reason == Class::kNotImplemented;
  chip(html, result.reason == Class::kNone ? name_of(result.verdict) : name_of(result.reason),
       open ? "open" : "failed");
}

void roof_bar(Html& html, const Measurement& line) {
  // Up to the roof; further where a medal or the result lies beyond it, as for a speed-up.
  const double most =
      std::max({1.0, line.thresholds.highest() > 1 ? 1.1 * line.thresholds.highest() : 0, line.fraction});
  const auto at = [&](double fraction) {
    return compact(100 * std::clamp(fraction, 0.0, most) / most) + "%";
  };
  html.open("span", {{"class", "keep"}}).open("span", {{"class", "bar"}, {"aria-hidden", "true"}});
  html.element("b", "", {{"style", "width:" + at(line.fraction)}});
  for (const MedalRow& medal : kMedals)
    if (const double mark = line.thresholds.*medal.value; mark > 0)
      html.element("i", "", {{"style", "left:" + at(mark)}});
  html.close().text(fraction_text(line.fraction)).close();
}

std::string device_text(const DeviceRecord& device) {
  std::string text = (device.simulated ? "simulated " : "") + device.name;
  if (!device.capability.empty()) text += ", compute capability " + device.capability;
  if (!device.simulated && !device.driver.empty()) text += ", driver " + device.driver;
  if (!device.toolkit.empty()) text += ", toolkit " + device.toolkit;
  if (device.simulated && !device.model.empty()) text += ", time model " + device.model;
  return text;
}

std::string how_known(const DeviceRecord& device) { return device.simulated ? "modelled" : "measured"; }

void table_for_figure(Html& html, const std::string& what, const std::vector<std::string>& heads,
                      const std::vector<std::vector<std::string>>& rows) {
  html.open("details", {{"open", ""}, {"data-close", ""}}).element("summary", "The " + what + " as a table");
  html.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  for (const std::string& head : heads) html.element("th", head, {{"scope", "col"}});
  html.close().close().open("tbody");
  for (const auto& row : rows) {
    html.open("tr");
    for (const std::string& cell : row) html.element("td", cell);
    html.close();
  }
  html.close().close().close().close();
}

void part_section(Html& html, const ReportPart& part) {
  const Result& last = part.last()->result;
  const std::string id = "lab-" + part.id;
  html.open("section", {{"aria-labelledby", id}}).element("h2", part.id + " " + part.title, {{"id", id}});
  state_line(html, part);
  facts(html, part, last);
  checks(html, last);
  measurements(html, last);
  steps(html, part, last);
  ladder(html, part);
  const auto swept = std::ranges::find_if(part.attempts.rbegin(), part.attempts.rend(),
                                          [](const auto& attempt) { return !attempt.result.sweeps.empty(); });
  if (swept != part.attempts.rend()) sweeps(html, part, swept->result);
  timeline(html, part);
  source_table(html, part);
  if (!last.program_output.empty()) {
    html.open("details", {{"open", ""}, {"data-close", ""}}).element("summary", "What your program printed");
    html.element("pre", last.program_output.substr(0, kMostOutput)).close();
  }
  html.close();
}

}  // namespace roofline::grader
