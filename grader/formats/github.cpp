// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// GitHub Actions: a job summary in Markdown, and the workflow commands that become annotations of the source.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
#include "grader/formats/format.h"
#include "grader/result/result_text.h"

namespace roofline::grader {
namespace {

/// Text of somebody else in a table's cell: shown as it is, never as a link, a tag or another cell.
std::string cell(const std::string& text) {
  static const std::string kMeaning = "\\`*_[]|~$@";
  std::string out;
  for (const char c : one_line(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (kMeaning.find(c) != std::string::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string part_table(const Result& result) {
  std::string text =
      "### " + cell(result.part + (result.title.empty() ? "" : " " + result.title)) + "\n\n" +
      cell(std::string(name_of(result.verdict))) +
      (result.reason == Class::kNone ? "" : ", " + std::string(name_of(result.reason))) +
      (result.medal == Medal::kNone ? "" : ", medal **" + std::string(name_of(result.medal)) + "**") +
      ", **" + decimal(result.points) + "** of " + decimal(result.max_points) + " points, on " +
      cell(device_label(result.device)) + "\n\n";
  if (!result.measurements.empty()) {
    text += "| limit | reached | of the roof | medal |\n| --- | ---: | ---: | --- |\n";
    for (const Measurement& line : result.measurements)
      text += "| " + cell(line.id + " (" + line.roof.id + ")") + " | " + decimal(line.achieved) + " " +
              cell(line.roof.unit) + " | " + decimal(100 * line.fraction) + " % | " +
              std::string(name_of(line.medal)) + " |\n";
    text += '\n';
  }
  unsigned passed = 0;
  std::string rows;
  for (const Check& check : result.checks) {
    if (check.verdict == Verdict::kPass)
      ++passed;
    else
      rows += "| " + cell(check.label()) + " | " + outcome(check) + " | " +
              cell(check.message.substr(0, check.message.find('\n'))) + " |\n";
  }
  text += std::to_string(passed) + " of " + std::to_string(result.checks.size()) + " checks passed.\n";
  if (!rows.empty()) text += "\n| check | outcome | |\n| --- | --- | --- |\n" + rows;
  return text + "\n";
}

std::string summary(const std::vector<Graded>& all, const FormatOptions&) {
  std::string text = "## Roofline Labs\n\n";
  for (const Graded& graded : all) {
    if (!graded.id.empty())
      text += "**" + cell(graded.name.empty() ? graded.id : graded.name) + "**: " + decimal(graded.points()) +
              " of " + decimal(graded.max_points()) + " points" +
              (graded.remark.empty() ? "" : ", " + cell(graded.remark)) + "\n\n";
    for (const Result& result : graded.results) text += part_table(result);
  }
  return text;
}

/// As actions/toolkit escapes the data, and the properties, of a command.
std::string escaped(const std::string& text, bool property) {
  std::string out;
  for (const char c : shortened(text, 2000)) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string annotations(const std::vector<Graded>& all, const FormatOptions&) {
  std::string text;
  for (const Graded& graded : all) {
    for (const Result& result : graded.results) {
      for (const Check& check : result.checks) {
        if (check.verdict == Verdict::kPass || check.verdict == Verdict::kSkipped) continue;
        // A check that names no line of its own is about the file that was graded.
        const std::string file = check.file.empty() ? result.source_path : check.file;
        const bool costs_the_pass = check.verdict == Verdict::kFail && check.kind != CheckKind::kPrediction;
        text += costs_the_pass ? "::error " : "::warning ";
        if (!file.empty()) text += "file=" + escaped(file, true) + ",";
        if (check.line) text += "line=" + std::to_string(check.line) + ",";
        text += "title=" + escaped(result.part + " " + check.label() + ": " + outcome(check), true) +
                "::" + escaped(check.message.empty() ? outcome(check) : check.message, false) + "\n";
      }
    }
  }
  return text;
}

}  // namespace

Format github_format() {
  return {.name = "github",
          .what = "GitHub Actions: a job summary in Markdown",
          .file = "summary.md",
          .text = summary};
}

Format annotations_format() {
  return {.name = "annotations",
          .what = "GitHub Actions: workflow commands that mark lines of the source",
          .file = "annotations.txt",
          .text = annotations};
}

}  // namespace roofline::grader
