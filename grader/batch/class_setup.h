// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/batch/course.h"
#include "grader/batch/roster.h"
#include "grader/lab/selection.h"

namespace roofline::grader {

/// What an instructor names when a class is graded.
struct ClassFiles {
  std::vector<std::string> labs;  ///< empty: lab 01
  std::filesystem::path roster, course;
  std::filesystem::path hidden;  ///< an instructor's cases (grader/lab/hidden.h); empty: the course file's
  std::uint64_t seed = 0;        ///< 0: drawn once for the class
};

/// The same, read and fitted together: the course's late policy is the one of these labs, and people have the
/// ids of HandedIn.
class ClassSetup {
 public:
  /// Throws UsageError where files, or what they say, do not fit.
  explicit ClassSetup(const ClassFiles& files);
  ClassSetup(const ClassSetup&) = delete;  // parts point into the labs
  ClassSetup& operator=(const ClassSetup&) = delete;

  const std::vector<Chosen>& parts() const { return parts_; }
  const Course& course() const { return course_; }
  const std::vector<Student>& roster() const { return roster_; }
  const std::string& hidden() const { return hidden_; }       ///< text of the instructor's cases
  std::uint64_t wanted_seed() const { return wanted_seed_; }  ///< 0: any
  /// From the class's seed, the seed of a student's inputs: an exam has another one for everybody.
  std::uint64_t seed_for(const std::string& student, std::uint64_t class_seed) const;

 private:
  void read_hidden(std::filesystem::path file);

  std::vector<Lab> labs_ = all_labs();
  std::vector<Chosen> parts_;
  Course course_;
  std::vector<Student> roster_;
  std::string hidden_;
  std::uint64_t wanted_seed_;
};

/// Due times, extensions and sections of a course for these parts. With a roster people may be called as it
/// calls them in any column. Throws UsageError where the parts have different rules, which one batch cannot
/// keep, or where somebody is nobody of the roster.
void fit_course(Course& course, const std::vector<Chosen>& parts, const std::vector<Student>& roster);

}  // namespace roofline::grader
