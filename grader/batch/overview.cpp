// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "grader/base/file.h"
#include "grader/base/xml.h"
#include "grader/batch/batch.h"
#include "grader/batch/page.h"
#include "grader/formats/hardest.h"
#include "grader/formats/json.h"
#include "grader/report/report.h"
#include "grader/text/svg.h"
#include "grader/text/terminal.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kBins = 10;

std::string cell(const std::string& text, const char* kind = nullptr) {
  return kind == nullptr ? "<td>" + xml_escaped(text) + "</td>"
                         : "<td class=\"" + std::string(kind) + "\">" + xml_escaped(text) + "</td>";
}

std::string linked(const std::string& id) {
  const std::string text = xml_escaped(id);
  return "<td><a href=\"reports/" + text + ".html\">" + text + "</a></td>";
}

/// How many students reached how much, in tenths of the points.
std::string points_histogram(const ClassOutcome& outcome) {
  std::vector<std::size_t> bins(kBins, 0);
  for (const Graded& student : outcome.students) {
    if (student.not_reached()) continue;
    const double share = student.max_points() > 0 ? student.points() / student.max_points() : 0;
    ++bins[std::min<std::size_t>(kBins - 1, static_cast<std::size_t>(std::max(0.0, share) * kBins))];
  }
  return histogram(bins);
}

/// What not everybody passed, the hardest first.
std::vector<CheckTally> hardest(const ClassOutcome& outcome) {
  std::vector<CheckTally> all = hardest_checks(outcome.students);
  std::erase_if(all, [](const CheckTally& check) { return check.passed == check.of; });
  if (all.size() > 10) all.resize(10);
  return all;
}

std::string same_table(const ClassOutcome& outcome) {
  std::string rows;
  for (const SameFile& same : outcome.same) {
    rows += "<tr>" + cell(same.part) + "<td>";
    for (const std::string& id : same.ids)
      rows += (id == same.ids.front() ? "" : ", ") + ("<a href=\"reports/" + xml_escaped(id) + ".html\">") +
              xml_escaped(id) + "</a>";
    rows += "</td></tr>\n";
  }
  if (rows.empty()) return {};
  return "<h2>The same file from several students</h2>\n<p>Byte for byte, in any of their submissions; files "
         "of a "
         "group and the skeleton are left out. A file that was reworded is found by <code>./lab "
         "similarity</code>.</p>\n"
         "<div class=\"scroll\"><table><tr><th>lab</th><th>students</th></tr>\n" +
         rows + "</table></div>\n";
}

/// Why a person has to look at whom.
std::string held_table(const ClassOutcome& outcome) {
  std::string rows;
  for (const Graded& student : outcome.students)
    if (!student.held.empty())
      rows += "<tr>" + linked(student.id) + cell(student.name) + cell(student.held) + "</tr>\n";
  if (rows.empty()) return {};
  return "<h2>For a person to look at</h2>\n<p>Their grades are not final. <em>Impossible</em> is a time "
         "that "
         "no hardware can have: the work that was skipped may be a cheat or a mistake. Read the file.</p>\n"
         "<div class=\"scroll\"><table><tr><th>id</th><th>name</th><th>why</th></tr>\n" +
         rows + "</table></div>\n";
}

/// The graded file, where it is still kept.
std::string source_of(const BatchFolder& folder, const HandedIn& attempt, const std::string& part) {
  const auto key = attempt.tasks.find(part);
  if (key == attempt.tasks.end()) return {};
  try {
    return read_file(folder.source(read_task(folder, key->second).source_sha256));
  } catch (const std::exception&) {
    return {};
  }
}

std::string absent_table(const ClassOutcome& outcome) {
  if (outcome.absent.empty()) return {};
  std::string rows;
  for (const Student& student : outcome.absent)
    rows += "<tr>" + cell(student.id) + cell(student.name) + cell(student.email) + "</tr>\n";
  return "<h2>Handed in nothing</h2>\n<p>" + std::to_string(outcome.absent.size()) + " of " +
         std::to_string(outcome.in_roster) +
         " in the roster. Nothing is written for them into other tools: whether that means 0 is yours to "
         "say.</p>\n"
         "<div class=\"scroll\"><table><tr><th>id</th><th>name</th><th>email</th></tr>\n" +
         rows + "</table></div>\n";
}

std::string strangers_table(const ClassOutcome& outcome) {
  std::string rows;
  for (std::size_t i = 0; i < outcome.students.size(); ++i)
    if (const Graded& student = outcome.students[i]; !student.in_roster)
      rows += "<tr>" + linked(student.id) + cell(student.name) + cell(outcome.chosen[i].label) + "</tr>\n";
  if (rows.empty()) return {};
  return "<h2>Not in the roster</h2>\n<p>Graded, but nobody's: no line of the roster has this id, address or "
         "name, or "
         "several lines have it. Add a column to the roster with what the folder is called.</p>\n"
         "<div class=\"scroll\"><table><tr><th>id</th><th>name</th><th>graded</th></tr>\n" +
         rows + "</table></div>\n";
}

/// What could not be read of what counts: no fault of the grader's, and perhaps not what the student wanted.
std::string problems_table(const ClassOutcome& outcome) {
  std::string rows;
  for (std::size_t i = 0; i < outcome.students.size(); ++i)
    if (const HandedIn& chosen = outcome.chosen[i]; !chosen.problem.empty())
      rows += "<tr>" + linked(outcome.students[i].id) + cell(outcome.students[i].name) + cell(chosen.label) +
              cell(chosen.problem) + "</tr>\n";
  if (rows.empty()) return {};
  return "<h2>Not as the lab asks for it</h2>\n<p>What is not there, or cannot be read, has no points. Ask "
         "for it "
         "again, or put it into order in the folder, and give the same command again.</p>\n"
         "<div class=\"scroll\"><table><tr><th>id</th><th>name</th><th>handed in</th><th>why</th></tr>\n" +
         rows + "</table></div>\n";
}

/// Where every point went.
std::vector<GradeRow> grade_rows(const Graded& student) {
  std::vector<GradeRow> rows;
  for (const Result& result : student.results)
    for (const ScoreLine& line : score_lines(result))
      rows.push_back({result.part + " " + line.title, decimal(line.points), decimal(line.max)});
  const std::string most = decimal(student.max_points());
  rows.push_back({"sum", decimal(student.raw_points()), most});
  if (!student.handed_in.empty())
    rows.push_back({"handed in " + student.handed_in + (student.days_late > 0 ? "" : ", in time"), "", ""});
  if (student.factor != 1) rows.push_back({student.remark, "times " + decimal(student.factor), ""});
  if (!student.comment.empty()) rows.push_back({student.comment, "", ""});
  rows.push_back({"grade", decimal(student.points()), most});
  return rows;
}

}  // namespace

std::string overview_page(const ClassOutcome& outcome, const std::vector<Chosen>& parts) {
  std::string body = "<p>" + std::to_string(outcome.students.size()) + " students, " +
                     std::to_string(outcome.submissions) + " submissions, " +
                     std::to_string(outcome.different) + " of them different. " +
                     xml_escaped(graded_on(outcome));
  if (outcome.errors != 0)
    body += " <span class=\"error\">" + std::to_string(outcome.errors) +
            " could not be graded, through no fault of the students: a person has to look at them.</span>";
  if (outcome.not_reached != 0)
    body += " <span class=\"error\">" + std::to_string(outcome.not_reached) + " of " +
            std::to_string(outcome.students.size()) +
            " were not reached: the class ended before. They have no points yet; the same command goes "
            "on.</span>";
  body += "</p>\n" + held_table(outcome) + strangers_table(outcome) + problems_table(outcome) +
          same_table(outcome) + "<h2>Points</h2>\n" + points_histogram(outcome);
  if (const std::vector<CheckTally> hard = hardest(outcome); !hard.empty()) {
    body +=
        "<h2>Hardest checks</h2>\n<table><tr><th>lab</th><th>check</th><th "
        "class=\"number\">passed</th></tr>\n";
    for (const CheckTally& one : hard)
      body += "<tr>" + cell(one.part) + cell(one.title) +
              cell(std::to_string(one.passed) + " of " + std::to_string(one.of), "number") + "</tr>\n";
    body += "</table>\n";
  }
  body += "<h2>Students</h2>\n<div class=\"scroll\"><table><tr><th>id</th><th>name</th>";
  for (const Chosen& part : parts) body += "<th>" + xml_escaped(part.id()) + "</th>";
  body += "<th class=\"number\">points</th><th>graded</th><th></th></tr>\n";
  for (std::size_t i = 0; i < outcome.students.size(); ++i) {
    const Graded& student = outcome.students[i];
    body += "<tr>" + linked(student.id) + cell(student.name);
    for (const Result& result : student.results) {
      const std::string verdict(name_of(result.verdict)), why(name_of(result.reason)),
          medal(name_of(result.medal));
      body += cell(result.medal == Medal::kPass          ? "passed"
                   : !medal.empty()                      ? "passed: " + medal
                   : why.empty()                         ? verdict
                   : result.reason == Class::kNotReached ? "not reached"
                                                         : why,
                   verdict.c_str());
    }
    body += cell(student.not_reached() ? "" : decimal(student.points()), "number") +
            cell(outcome.chosen[i].label) + cell(student.remark) + "</tr>\n";
  }
  return html_page("Class", body + "</table></div>\n" + absent_table(outcome));
}

std::string student_page(const BatchFolder& folder, const Graded& student, const HandedIn& chosen,
                         const std::vector<Chosen>& parts, Attempts which) {
  const std::string& heading = student.name.empty() ? student.id : student.name;
  if (student.not_reached())
    return html_page(
        heading,
        "<p>Not reached yet: the class ended before everything was graded. No points are lost, and there "
        "are none yet.</p>\n");
  ReportData data;
  data.heading = heading;
  data.own = false;
  data.remark = decimal(student.points()) + " of " + decimal(student.max_points()) + " points";
  if (!student.remark.empty()) data.remark += "; " + student.remark;
  if (student.submissions > 1)
    data.remark += "; graded: " + chosen.label +
                   (which == Attempts::kBest ? ", the best of " : ", the last of ") +
                   std::to_string(student.submissions) + " submissions";
  else if (chosen.label != student.id)
    data.remark += "; graded: " + chosen.label;
  data.grade = grade_rows(student);
  for (const Result& result : student.results) {
    const auto part = std::ranges::find(parts, result.part, &Chosen::id);
    if (part == parts.end()) continue;
    data.parts.push_back({.id = result.part,
                          .lab = result.lab,
                          .title = part->title(),
                          .file = part->part->program.source,
                          .attempts = {{result, source_of(folder, chosen, result.part)}}});
  }
  return report_page(data);
}

void write_outputs(const Paths& paths, const BatchFolder& folder, const ClassOutcome& outcome,
                   const std::vector<Chosen>& parts, const std::vector<std::string>& formats) {
  // Of students who are no longer in the class nothing stays.
  std::error_code ignored;
  for (const auto& [place, ending] :
       {std::pair(folder.results(), ".json"), std::pair(folder.root / "reports", ".html")})
    for (const auto& entry : fs::directory_iterator(place, ignored)) {
      const std::string id = entry.path().stem().string();
      if (entry.path().extension() == ending &&
          std::ranges::find(outcome.students, id, &Graded::id) == outcome.students.end())
        fs::remove(entry.path(), ignored);
    }
  for (std::size_t i = 0; i < outcome.students.size(); ++i) {
    const Graded& student = outcome.students[i];
    write_file(folder.results() / (student.id + ".json"), to_json(student));
    write_file(folder.root / "reports" / (student.id + ".html"),
               student_page(folder, student, outcome.chosen[i], parts, outcome.which));
  }
  std::vector<std::string> all = {"class", "hardest"};
  for (const std::string& format : formats)
    if (std::ranges::find(all, format) == all.end()) all.push_back(format);
  FormatOptions options{.root = paths.root};
  options.note = [](const std::string& what) { std::fprintf(stderr, "  note    %s\n", what.c_str()); };
  for (const Student& student : outcome.absent) {
    Graded& absent = options.absent.emplace_back();
    absent.id = student.id;
    absent.name = student.name;
    absent.email = student.email;
  }
  write_formats(all, outcome.students, folder.root, options);
  write_file(folder.root / "index.html", overview_page(outcome, parts));
}

}  // namespace roofline::grader
