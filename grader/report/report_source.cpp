// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "grader/base/units.h"
#include "grader/report/lanes_page.h"
#include "grader/report/report_sections.h"
#include "grader/result/counter_names.h"

namespace roofline::grader {
namespace {

/// A waste worth a colour.
constexpr double kWasteful = 1.5;
/// A file that is longer is cut: the page stays small.
constexpr size_t kMostLines = 400;

std::vector<std::string> lines_of(const std::string& source) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < source.size();) {
    const size_t end = std::min(source.find('\n', begin), source.size());
    lines.push_back(source.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// "1.00 x", marked where it is a waste; empty where there was nothing.
void ratio_cell(Html& html, double actual, double ideal) {
  if (!(actual > 0)) {
    html.element("td", "");
    return;
  }
  const double ratio = ideal > 0 ? actual / ideal : 1;
  html.element("td", ideal > 0 ? format_number("%.2f", ratio) + "×" : count_text(actual),
               {{"class", ratio > kWasteful ? "m bad" : "m"}});
}

void advice_row(Html& html, const LineAdvice& advice) {
  html.open("tr", {{"class", "advice"}}).element("td", "").open("td", {{"colspan", "4"}});
  // A block of its own: the cell is as wide as the longest line of the source, the sentence stays in sight.
  html.open("span").text(advice.message);
  if (advice.gain >= 0.005) html.text(" Worth about " + percent_text(advice.gain) + " of the time.");
  html.close().close().close();
}

void line_row(Html& html, unsigned number, const std::string& code, const LineCounts* counts, double all) {
  html.open("tr").element("td", std::to_string(number));
  if (counts == nullptr) {
    html.element("td", "", {{"colspan", "3"}});
  } else {
    const double share = all > 0 ? counts->warps / all : 0;
    html.element("td", percent_text(share),
                 {{"class", "w"}, {"style", "--v:" + format_number("%.1f", 100 * share) + "%"}});
    ratio_cell(html, counts->sectors + counts->local_sectors, counts->ideal_sectors);
    ratio_cell(html, counts->wavefronts, counts->ideal_wavefronts);
  }
  html.element("td", code).close();
}

}  // namespace

int attempt_with_lines(const ReportPart& part) {
  for (int i = static_cast<int>(part.attempts.size()) - 1; i >= 0; --i) {
    const Attempt& attempt = part.attempts[static_cast<size_t>(i)];
    if (!attempt.result.profile.lines.empty() && !attempt.source.empty()) return i;
  }
  return -1;
}

void source_table(Html& html, const ReportPart& part) {
  const int index = attempt_with_lines(part);
  const bool counted = index >= 0;
  const Attempt& attempt = counted ? part.attempts[static_cast<size_t>(index)] : *part.last();
  const GradeProfile& profile = attempt.result.profile;
  if (!counted) {
    // Without the file, what was said about it is still worth reading.
    if (!profile.advice.empty()) html.element("h3", "Advice");
    for (const LineAdvice& advice : profile.advice)
      html.element("p", (advice.line ? "Line " + std::to_string(advice.line) + ": " : "") + advice.message);
    return;
  }
  double all = 0;
  for (const LineCounts& line : profile.lines) all += line.warps;
  html.element("h3", "What each line did");
  html.element(
      "p",
      "Attempt " + std::to_string(index + 1) +
          ", counted in the timed calls. Share: of all instructions issued. Sectors: of 32 bytes that "
          "were moved, over the fewest that the bytes need. Banks: passes over shared memory, over the "
          "fewest. 1.00× is ideal.",
      {{"class", "soft"}});
  html.element("p",
               "In Nsight Compute sectors are " + ncu_name("sectors") + ", banks " + ncu_name("banks") + ".",
               {{"class", "soft"}});
  for (const LineAdvice& advice : profile.advice)
    if (advice.line == 0) html.element("p", advice.message);
  html.open("details", {{"open", ""}}).element("summary", attempt.result.source_path);
  html.open("div", {{"class", "scroll"}}).open("table", {{"class", "heat"}}).open("thead").open("tr");
  for (const char* head : {"line", "share", "sectors", "banks", "source"})
    html.element("th", head, {{"scope", "col"}});
  html.close().close().open("tbody");
  const std::vector<std::string> lines = lines_of(attempt.source);
  for (unsigned number = 1; number <= std::min(lines.size(), kMostLines); ++number) {
    const auto counts = std::ranges::find(profile.lines, number, &LineCounts::line);
    line_row(html, number, lines[number - 1], counts == profile.lines.end() ? nullptr : &*counts, all);
    for (const LineAdvice& advice : profile.advice)
      if (advice.line == number) advice_row(html, advice);
  }
  html.close().close().close();
  for (const LaneRequest& request : profile.lanes)
    lane_request_figure(html, request, "lanes-" + part.id + "-" + std::to_string(request.line));
  if (lines.size() > kMostLines)
    html.element("p", std::to_string(lines.size() - kMostLines) + " more lines", {{"class", "soft"}});
  html.close();
}

}  // namespace roofline::grader
