// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/report/report.h"

#include <algorithm>

#include "grader/base/units.h"
#include "grader/learner/attempts.h"
#include "grader/report/lanes_page.h"
#include "grader/report/report_figures.h"
#include "grader/report/report_page.h"
#include "grader/report/report_sections.h"
#include "grader/result/deciding.h"

namespace roofline::grader {
namespace {

double points_of(const ReportPart& part) { return part.best() ? part.best()->result.points : 0; }
double most_points(const ReportPart& part) { return part.best() ? part.best()->result.max_points : 100; }

std::string anchor(const ReportPart& part) { return "lab-" + part.id; }

// ---- summary ----

void summary_row(Html& html, const ReportPart& part) {
  html.open("tr").open("th", {{"scope", "row"}});
  if (part.attempts.empty())
    html.text(part.id + " " + part.title);
  else
    html.element("a", part.id + " " + part.title, {{"href", "#" + anchor(part)}});
  html.close();
  const Attempt* best = part.best();
  html.open("td");
  if (best) {
    outcome_chip(html, best->result);
    if (best->result.device.simulated) html.element("span", " simulated", {{"class", "soft"}});
  } else {
    html.element("span", "not started", {{"class", "chip open"}});
  }
  html.close().open("td");
  if (const Measurement* line = best ? deciding(best->result) : nullptr) roof_bar(html, *line);
  html.close();
  html.element("td",
               best ? compact(best->result.points, 4) + " of " + compact(best->result.max_points, 4) : "",
               {{"class", "n"}, {"data-label", "points"}});
  html.element("td", std::to_string(part.attempts.size()), {{"class", "n"}, {"data-label", "attempts"}});
  html.close();
}

void summary(Html& html, const ReportData& data) {
  html.open("section", {{"aria-labelledby", "summary"}}).element("h2", "Summary", {{"id", "summary"}});
  html.open("div", {{"class", "scroll"}}).open("table", {{"class", "stacked"}}).open("thead").open("tr");
  for (const char* head : {"lab", "best result", "of the roof"}) html.element("th", head, {{"scope", "col"}});
  // A grade is after the late policy, a lab's points are before it.
  for (const char* head : {data.grade.empty() ? "points" : "points earned", "attempts"})
    html.element("th", head, {{"scope", "col"}, {"class", "n"}});
  html.close().close().open("tbody");
  double points = 0, most = 0;
  size_t attempts = 0, passed = 0;
  for (const ReportPart& part : data.parts) {
    summary_row(html, part);
    points += points_of(part);
    most += most_points(part);
    attempts += part.attempts.size();
    passed += part.best() && part.best()->result.verdict == Verdict::kPass;
  }
  html.close().open("tfoot").open("tr").element("th", "all", {{"scope", "row"}});
  html.element("td", std::to_string(passed) + " of " + std::to_string(data.parts.size()) + " passed",
               {{"class", "keep"}});
  html.element("td", "").element("td", compact(points, 5) + " of " + compact(most, 5),
                                 {{"class", "n"}, {"data-label", "points"}});
  html.element("td", std::to_string(attempts), {{"class", "n"}, {"data-label", "attempts"}});
  html.close().close().close().close();
  html.element(
      "p",
      "The bar is the measurement that decides the medal; its marks are " + medal_names() +
          ". A simulated medal says that the kernel does what a fast kernel does; a real GPU has the "
          "last word.",
      {{"class", "soft"}});
  html.close();
}

/// Where every point of a class's grade went.
void grade_section(Html& html, const ReportData& data) {
  if (data.grade.empty()) return;
  html.open("section", {{"aria-labelledby", "grade"}}).element("h2", "Grade", {{"id", "grade"}});
  html.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  html.element("th", "what", {{"scope", "col"}});
  for (const char* head : {"points", "of"}) html.element("th", head, {{"scope", "col"}, {"class", "n"}});
  html.close().close().open("tbody");
  const auto row = [&](const GradeRow& line) {
    html.open("tr").element("th", line.what, {{"scope", "row"}});
    html.element("td", line.points, {{"class", "n"}}).element("td", line.of, {{"class", "n"}}).close();
  };
  for (size_t i = 0; i + 1 < data.grade.size(); ++i) row(data.grade[i]);
  html.close().open("tfoot");
  row(data.grade.back());
  html.close().close().close().close();
}

void next_section(Html& html, const ReportData& data) {
  const NextStep next = next_step(data);
  if (next.sentence.empty()) return;
  html.open("section", {{"class", "next"}, {"aria-labelledby", "next"}});
  html.element("h2", "Next", {{"id", "next"}}).open("p").text(next.sentence);
  if (!next.command.empty()) html.text(" ").element("code", next.command);
  html.close().close();
}

// ---- roofline ----

void legend(Html& html) {
  html.open("ul", {{"class", "legend"}});
  for (const auto& [style, text] :
       {std::pair{"best", "best attempt of a lab"}, {"other", "other attempts"}, {"failed", "did not pass"}})
    html.open("li", {{"class", style}}).element("i", "").text(text).close();
  html.close();
}

void roofline_section(Html& html, const DeviceRoofline& device, size_t index) {
  const std::string id = "roofline-" + std::to_string(index);
  html.open("section", {{"aria-labelledby", id + "-head"}});
  html.element("h2",
               "Roofline: " + std::string(device.device.simulated ? "simulated " : "") + device.device.name,
               {{"id", id + "-head"}});
  html.element("p", how_known(device.device) + ": " + device_text(device.device), {{"class", "soft"}});
  html.open("figure").open("div", {{"class", "scroll"}}).figure(roofline_figure(device), id, "xy").close();
  legend(html);
  html.open("figcaption")
      .text(
          "Under the slope a kernel waits for memory: its rate is its intensity times the memory's rate. "
          "Under "
          "the flat roof it waits for arithmetic. Dashed: the data sheet. Click the figure, then turn the "
          "wheel "
          "or press + and − to zoom, 0 to go back; arrows walk through the points.")
      .close();
  std::vector<std::vector<std::string>> rows;
  for (const PlacedPoint& point : device.points)
    rows.push_back({point.part, point.what, std::to_string(point.attempt) + (point.best ? ", best" : ""),
                    compact(point.intensity), significant(point.tflops)});
  table_for_figure(html, "roofline", {"lab", "graded call", "attempt", "FLOP/B", "TFLOP/s"}, rows);
  html.close().close();
}

// ---- how it is known ----

void provenance(Html& html, const ReportData& data) {
  html.open("section", {{"aria-labelledby", "known"}});
  html.element("h2", "What was measured and what was simulated", {{"id", "known"}});
  html.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  // A class's results do not say when they were made: they are the same bytes each time.
  const bool dated = std::ranges::any_of(data.parts, [](const ReportPart& part) {
    return part.last() != nullptr && !part.last()->result.started.empty();
  });
  for (const char* head : {"lab", "times are", "device", "driver, toolkit, time model"})
    html.element("th", head, {{"scope", "col"}});
  if (dated) html.element("th", "last graded (UTC)", {{"scope", "col"}});
  html.element("th", "seed", {{"scope", "col"}});
  html.close().close().open("tbody");
  for (const ReportPart& part : data.parts) {
    const Attempt* last = part.last();
    if (last == nullptr || last->result.device.name.empty()) continue;
    const DeviceRecord& device = last->result.device;
    html.open("tr").element("th", part.id, {{"scope", "row"}});
    html.element("td", how_known(device)).element("td", device.name);
    html.element("td", device.simulated ? "simulated; toolkit " + device.toolkit + "; model " + device.model
                                        : "driver " + device.driver + "; toolkit " + device.toolkit);
    if (dated) html.element("td", last->result.started);
    html.element("td", std::to_string(last->result.seed), {{"class", "code"}});
    html.close();
  }
  html.close().close().close();
  html.element(
      "p",
      "Measured: with events and the judge's own clock on that device, beside a roof timed in the same "
      "run. Simulated: results and counts are exact, times come from a model of that device and are "
      "called modelled wherever they appear.",
      {{"class", "soft"}});
  html.close();
}

void navigation(Html& html, const ReportData& data, size_t devices) {
  html.open("nav", {{"aria-label", "Sections"}}).open("ul");
  const auto entry = [&](const std::string& target, const std::string& text) {
    html.open("li").element("a", text, {{"href", "#" + target}}).close();
  };
  if (!data.grade.empty()) entry("grade", "Grade");
  entry("summary", "Summary");
  for (size_t i = 0; i < devices; ++i)
    entry("roofline-" + std::to_string(i) + "-head",
          devices == 1 ? "Roofline" : "Roofline " + std::to_string(i + 1));
  for (const ReportPart& part : data.parts)
    if (!part.attempts.empty()) entry(anchor(part), part.id);
  entry("known", "Measured or simulated");
  html.close().close();
}

const ReportPart* first_open(const ReportData& data) {
  for (const ReportPart& part : data.parts)
    if (!part.best() || part.best()->result.verdict != Verdict::kPass) return &part;
  return nullptr;
}

/// What stands between the last attempt and a pass, in a few words.
std::string obstacle(const ReportPart& part) {
  const Result& result = part.last()->result;
  for (const Check& check : result.checks)
    if (check.verdict == Verdict::kFail && check.kind != CheckKind::kPrediction)
      return check.title + ": " + check.message.substr(0, check.message.find('\n'));
  return "the last attempt did not pass";
}

}  // namespace

const Attempt* ReportPart::best() const {
  const Attempt* best = nullptr;
  for (const Attempt& attempt : attempts)
    if (best == nullptr || !better(best->result, attempt.result)) best = &attempt;
  return best;
}

NextStep next_step(const ReportData& data) {
  if (!data.own || data.parts.empty()) return {};
  if (const ReportPart* part = first_open(data)) {
    if (part->attempts.empty())
      return {"Begin lab " + part->id + ", " + part->title + ": read labs/" + part->lab +
                  "/README.md, edit " + part->file + ", then type",
              "./lab grade " + part->id};
    if (part->last()->result.reason == Class::kNotImplemented)
      return {"Lab " + part->id + " waits for its first lines in " + part->file + ". A hint:",
              "./lab hint " + part->id};
    return {"Lab " + part->id + " does not pass yet. " + obstacle(*part) + ". A hint:",
            "./lab hint " + part->id};
  }
  const auto lowest = std::ranges::min_element(data.parts, {}, [](const ReportPart& part) {
    return std::pair(part.best()->result.medal == Medal::kNone ? kBestMedal : part.best()->result.medal,
                     part.best()->result.points / std::max(1.0, part.best()->result.max_points));
  });
  const Result& result = lowest->best()->result;
  const std::string passed = data.of_some ? "All that is on this page is passed" : "Every lab is passed";
  if (result.medal == kBestMedal || result.medal == Medal::kNone)
    return {passed +
                ", with the best medal there is. The open question at the end of each lab's page "
                "is what remains; so is a real GPU:",
            "./lab grade all --device gpu"};
  std::string sentence = passed + ". The medal with most room is that of lab " + lowest->id + ", " +
                         lowest->title + ": " + std::string(name_of(result.medal)) + ".";
  if (!result.profile.advice.empty()) sentence += " " + result.profile.advice[0].message;
  return {sentence + " A hint:", "./lab hint " + lowest->id};
}

std::string report_page(const ReportData& data) {
  const std::vector<DeviceRoofline> devices = rooflines_of(data);
  Html html;
  page_head(html, data.heading);
  html.open("body").element("a", "Skip to the summary", {{"class", "skip"}, {"href", "#summary"}});
  html.open("header").element("h1", data.heading);
  if (!data.remark.empty()) html.element("p", data.remark);
  html.element("p", "Roofline Labs" + (data.made.empty() ? "" : ", " + data.made), {{"class", "soft"}});
  html.element("button", "Dark", {{"id", "theme"}, {"type", "button"}, {"hidden", ""}}).close();
  navigation(html, data, devices.size());
  html.open("main");
  next_section(html, data);
  grade_section(html, data);
  summary(html, data);
  for (size_t i = 0; i < devices.size(); ++i) roofline_section(html, devices[i], i);
  for (const ReportPart& part : data.parts)
    if (!part.attempts.empty()) part_section(html, part);
  provenance(html, data);
  html.close();
  html.open("footer")
      .element("p", std::string("Written by ./lab ") + (data.grade.empty() ? "report" : "batch") +
                        ". This file loads nothing and sends nothing.")
      .close();
  html.open("script").verbatim(kReportScript).close();
  html.close().close();
  return html.str();
}

}  // namespace roofline::grader
