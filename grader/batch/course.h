// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/batch/ceiling.h"
#include "grader/batch/moment.h"
#include "grader/lab/spec.h"

/// What an instructor decides beside the labs, for a term: when each was due, what counts how much, who is in
/// which section. Written in course.toml (docs/course-file.md).
namespace roofline::grader {

struct LatePolicy {
  std::optional<Seconds> deadline{};
  Seconds grace = 0;
  double percent_per_day = 0;                   ///< of the points, for each day that has begun
  double most_days = -1;                        ///< later than that: no points; negative: no such limit
  std::map<std::string, Seconds> extensions{};  ///< a student's own deadline
  std::string time_zone{};                      ///< of times that are written without one; empty: UTC
  std::optional<Seconds> opens{};               ///< an exam: nothing counts before
  bool closes = false;                          ///< an exam: nothing counts after the deadline

  struct Verdict {
    double factor = 1;
    std::string remark{};  ///< empty: in time
    double days = 0;       ///< late, that have begun
  };
  Verdict of(const std::string& student, std::optional<Seconds> handed_in) const;
};

/// Which of a student's submissions counts.
enum class Attempts { kBest, kLast };

/// What is particular to a part: [labs.03] speaks of every part of lab 03, [labs.03c] of one.
struct LabRules {
  double weight = 1;  ///< printed; the term's sum is the platform's to make
  std::optional<Seconds> due{};
  std::map<std::string, Seconds> extensions{};
  std::optional<Attempts> attempts{};
  std::optional<double> not_passed_at_most{};  ///< percent of the points
  std::filesystem::path hidden{};              ///< an instructor's cases; empty: none
  std::string rubric{};                        ///< printed into the syllabus
};

struct Section {
  std::vector<std::string> students;   ///< beside those whom the roster puts there
  std::map<std::string, Seconds> due;  ///< by part
};

/// Graded work in a window of time.
struct Exam {
  std::vector<std::string> parts;
  std::optional<Seconds> opens{}, closes{};
  bool hints = false;             ///< go out with the students' repository
  bool seeds_per_student = true;  ///< equal files of two students see different inputs
};

/// course.toml. Parsing throws UsageError that names the line and the key.
struct Course {
  std::string title;
  bool anonymous = false;  ///< pages and tables show ids that say nothing, and no names
  Attempts attempts = Attempts::kBest;
  std::optional<double> not_passed_at_most{};
  LatePolicy late;
  ClassLimits limits;
  std::map<std::string, std::map<std::string, double>> points;  ///< part ("*": all) -> name -> points
  std::map<std::string, LabRules> labs;                         ///< by part
  std::map<std::string, Section> sections;
  std::optional<Exam> exam{};
  std::map<std::string, std::string> section_of{};  ///< by id in lower case: filled when the roster is known

  static Course read(const std::filesystem::path& file);
  static Course parse(const std::string& text, const std::string& name);
  Points points_of(const std::string& part, Points given) const;

  LabRules rules_of(const std::string& part) const;
  /// A submission of `part` that did not pass has at most this share of the points.
  double most_when_not_passed(const std::string& part) const;
  /// The exam, where all of these parts belong to it.
  const Exam* exam_of(const std::vector<std::string>& parts) const;
};

}  // namespace roofline::grader
