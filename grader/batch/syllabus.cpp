// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/syllabus.h"

#include <algorithm>

#include "grader/base/units.h"

namespace roofline::grader {
namespace {

std::string number(double value) { return compact(value, 6); }

/// As a clock on the wall shows it, where the course is given.
std::string clock(const Course& course, Seconds time) { return clock_text(time, course.late.time_zone); }

const Exam* exam_with(const Course& course, const std::string& part) { return course.exam_of({part}); }

std::string due_of(const Course& course, const std::string& part) {
  if (const Exam* exam = exam_with(course, part))
    return exam->closes ? "exam, closes " + clock(course, *exam->closes) : "exam";
  const std::optional<Seconds> rule = course.rules_of(part).due;
  const std::optional<Seconds> due = rule ? rule : course.late.deadline;
  std::string text = due ? clock(course, *due) : "";
  for (const auto& [name, section] : course.sections)
    if (const auto own = section.due.find(part); own != section.due.end())
      text += (text.empty() ? "" : "; ") + ("section " + name + ": " + clock(course, own->second));
  return text;
}

std::string lab_table(const Course& course, const std::vector<Chosen>& parts) {
  std::string text = "| lab | | weight | points | due |\n|---|---|---|---|---|\n";
  for (const Chosen& part : parts)
    text += "| " + part.id() + " | " + part.title() + " | " + number(course.rules_of(part.id()).weight) +
            " | " + number(course.points_of(part.id(), part.part->points).total()) + " | " +
            due_of(course, part.id()) + " |\n";
  return text;
}

std::string late_text(const LatePolicy& late) {
  if (late.percent_per_day == 0 && late.most_days < 0) return "Late work loses no points.\n";
  std::string text = "Each day that has begun takes " + number(late.percent_per_day) + " % of the points";
  if (late.most_days >= 0) text += "; after " + number(late.most_days) + " days there are none";
  text += '.';
  if (late.grace > 0)
    text += " The first " + number(static_cast<double>(late.grace) / 60) + " minutes do not count.";
  return text + "\n";
}

std::string attempts_text(const Course& course, const std::vector<Chosen>& parts) {
  const auto words = [](Attempts which) {
    return std::string(which == Attempts::kBest ? "the best submission counts"
                                                : "the last submission counts");
  };
  std::string text = "You may hand in several times: " + words(course.attempts);
  for (const Chosen& part : parts)
    if (const auto own = course.rules_of(part.id()).attempts; own && *own != course.attempts)
      text += "; in " + part.id() + " " + words(*own);
  return text + ".\n";
}

std::string not_passed_text(const Course& course, const std::vector<Chosen>& parts) {
  std::string text;
  for (const Chosen& part : parts)
    if (const double most = course.most_when_not_passed(part.id()); most < 1)
      text += (text.empty() ? "" : ", ") + part.id() + " " + number(100 * most) + " %";
  return text.empty() ? "" : "What does not pass has at most a share of its points: " + text + ".\n";
}

std::string exam_text(const Course& course, const Exam& exam) {
  std::string labs;
  for (const std::string& part : exam.parts) labs += (labs.empty() ? "" : ", ") + part;
  std::string text = "\n## Exam\n\nLabs " + labs + ".";
  if (exam.opens) text += " Opens " + clock(course, *exam.opens) + ".";
  if (exam.closes) text += " Closes " + clock(course, *exam.closes) + "; nothing counts afterwards.";
  if (!exam.hints) text += " There are no hints.";
  if (exam.seeds_per_student) text += " Everybody's inputs are their own.";
  return text + "\n";
}

std::string rubrics(const Course& course, const std::vector<Chosen>& parts) {
  std::string text, before;
  for (const Chosen& part : parts) {
    const std::string rubric = course.rules_of(part.id()).rubric;
    if (rubric.empty() || rubric == before) continue;
    before = rubric;
    text +=
        "\n### " + part.id() + " " + part.title() + "\n\n" + rubric + (rubric.ends_with('\n') ? "" : "\n");
  }
  return text.empty() ? "" : "\n## What is expected\n" + text;
}

}  // namespace

std::string syllabus(const Course& course, const std::vector<Chosen>& parts) {
  std::string text = "# " + (course.title.empty() ? std::string("Roofline Labs") : course.title) + "\n\n" +
                     lab_table(course, parts) + "\nTimes are " +
                     (course.late.time_zone.empty() ? "UTC" : "of the zone " + course.late.time_zone) +
                     ". The sum over the term is made by the learning platform with these "
                     "weights.\n\n## Rules\n\n" +
                     late_text(course.late) + attempts_text(course, parts) + not_passed_text(course, parts);
  if (course.exam) text += exam_text(course, *course.exam);
  return text + rubrics(course, parts);
}

}  // namespace roofline::grader
