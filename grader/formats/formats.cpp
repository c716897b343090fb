// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "grader/base/file.h"
#include "grader/base/paths.h"
#include "grader/base/printable.h"
#include "grader/base/units.h"
#include "grader/formats/format.h"
#include "grader/text/terminal.h"
#include "simulator/closest.h"

namespace roofline::grader {

// One a file of this folder.
Format json_format();
Format gradescope_format();
Format junit_format();
Format github_format();
Format annotations_format();
Format sarif_format();
Format classroom50_format();
Format prairielearn_format();
Format class_format();
Format hardest_format();
Format canvas_format();
Format moodle_format();

const std::vector<Format>& formats() {
  static const std::vector<Format> kFormats = {
      json_format(),        gradescope_format(), junit_format(),       github_format(),
      annotations_format(), sarif_format(),      classroom50_format(), prairielearn_format(),
      class_format(),       hardest_format(),    canvas_format(),      moodle_format(),
  };
  return kFormats;
}

const Format& format_named(const std::string& name) {
  std::vector<std::string> names;
  std::string list;
  for (const Format& format : formats()) {
    if (format.name == name) return format;
    names.push_back(format.name);
    list += "\n  " + pad_right(format.name, 14) + format.what;
  }
  const std::string near = sim::closest(name, names);
  throw UsageError("there is no format \"" + name + "\"" +
                   (near.empty() ? "." : "; did you mean " + near + "?") + " The formats are" + list);
}

std::vector<std::filesystem::path> write_formats(const std::vector<std::string>& names,
                                                 const std::vector<Graded>& graded,
                                                 const std::filesystem::path& folder,
                                                 const FormatOptions& options) {
  std::vector<const Format*> chosen;  // all names are looked up before anything is written
  for (const std::string& name : names) chosen.push_back(&format_named(name));
  std::vector<std::filesystem::path> written;
  for (const Format* format : chosen) {
    if (format->of == Format::Of::kClass) {
      written.push_back(folder / format->file);
      write_file(written.back(), format->text(graded, options));
      continue;
    }
    const std::string ending = std::filesystem::path(format->file).extension().string();
    for (const Graded& one : graded) {
      written.push_back(folder / format->name / (one.id + ending));
      write_file(written.back(), format->text({one}, options));
    }
  }
  return written;
}

double Graded::raw_points() const {
  double sum = 0;
  for (const Result& result : results) sum += result.points;
  return sum;
}

double Graded::points() const { return std::round(set.value_or(raw_points() * factor) * 100) / 100; }

double Graded::max_points() const {
  double sum = 0;
  for (const Result& result : results) sum += result.max_points;
  return sum;
}

Verdict Graded::verdict() const {
  for (const Verdict worst : {Verdict::kError, Verdict::kFail, Verdict::kNoisy, Verdict::kSkipped})
    if (std::ranges::any_of(results, [&](const Result& result) { return result.verdict == worst; }))
      return worst;
  return results.empty() ? Verdict::kSkipped : Verdict::kPass;
}

bool Graded::not_reached() const {
  return std::ranges::any_of(results,
                             [](const Result& result) { return result.reason == Class::kNotReached; });
}

std::string decimal(double value) {
  if (!std::isfinite(value)) return "";
  std::string out = format_number("%.2f", value);
  while (out.ends_with('0')) out.pop_back();
  if (out.ends_with('.')) out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string outcome(const Check& check) {
  if (check.verdict == Verdict::kPass) return "passed";
  if (check.verdict == Verdict::kSkipped || check.reason == Class::kNone)
    return std::string(name_of(check.verdict));
  return std::string(name_of(check.reason));
}

std::vector<ScoreLine> score_lines(const Result& result) {
  if (!result.lines.empty()) return result.lines;
  return {{.id = "total", .title = "points", .points = result.points, .max = result.max_points}};
}

std::string one_line(const std::string& text, size_t limit) {
  std::string out = shortened(text, limit);
  std::ranges::replace(out, '\n', ' ');
  std::ranges::replace(out, '\t', ' ');
  return out;
}

std::string shortened(const std::string& text, size_t limit) {
  std::string out = printable(text);
  if (out.size() <= limit) return out;
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return out.substr(0, end) + " ...";
}

}  // namespace roofline::grader
