// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "grader/batch/course.h"
#include "grader/batch/executor.h"
#include "grader/batch/intake.h"
#include "grader/batch/roster.h"
#include "grader/batch/task.h"
#include "grader/formats/format.h"
#include "grader/lab/selection.h"
#include "grader/text/terminal.h"

namespace roofline::grader {

/// Students who handed in the same file, byte for byte, and did not do so as a group.
struct SameFile {
  std::string part;
  std::vector<std::string> ids;
};

/// What is known when every task has ended.
struct ClassOutcome {
  std::vector<Graded> students;                ///< the best submission of each, by id
  std::vector<HandedIn> chosen;                ///< which one that was, for each of them
  std::size_t submissions = 0, different = 0;  ///< different: tasks
  std::size_t errors = 0;            ///< students with a part that could not be graded: no points lost
  std::size_t not_reached = 0;       ///< students with a part that the class had no time for: no points yet
  std::size_t in_roster = 0;         ///< people; 0: there is no roster
  std::vector<Student> absent{};     ///< of them, who handed in nothing
  std::vector<SameFile> same{};      ///< but not the skeleton, which everybody has
  Attempts which = Attempts::kBest;  ///< of several submissions counts

  std::vector<const Graded*> strangers() const;  ///< who is not in the roster
};

/// The points are given anew from the outcomes' checks, with the course's points and late policy. Nothing is
/// run. `not_reached`: keys of tasks that the class had no time for.
ClassOutcome settle(const BatchFolder& folder, const std::vector<HandedIn>& attempts,
                    const std::vector<Chosen>& parts, const Course& course,
                    const std::vector<Student>& roster = {}, const std::set<std::string>& not_reached = {});

/// A student's page: what `./lab report` shows a learner, of the submission that counts.
std::string student_page(const BatchFolder& folder, const Graded& student, const HandedIn& chosen,
                         const std::vector<Chosen>& parts, Attempts which = Attempts::kBest);

/// results/<id>.json, class.csv, hardest.csv, index.html, reports/<id>.html and the other formats asked for.
void write_outputs(const Paths& paths, const BatchFolder& folder, const ClassOutcome& outcome,
                   const std::vector<Chosen>& parts, const std::vector<std::string>& formats);

/// What the terminal shows when a class is graded: a row a student, and who is missing or is nobody's.
std::string class_summary(const ClassOutcome& outcome, const Terminal& terminal);

/// "Graded on the simulated NVIDIA ...: times are modelled, not measured."; empty where nothing ran.
std::string graded_on(const ClassOutcome& outcome);

/// The overview of a class as a page that needs nothing else.
std::string overview_page(const ClassOutcome& outcome, const std::vector<Chosen>& parts);

}  // namespace roofline::grader
