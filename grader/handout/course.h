// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/paths.h"
#include "grader/lab/selection.h"

/// What an instructor hands out: the repository that students work in, and the autograder for Gradescope.
namespace roofline::grader {

struct CourseFile {
  std::filesystem::path name;  ///< relative to the checkout
  std::string bytes;
  bool executable = false;
};

/// The checkout as students get it: without solutions, wrong submissions, tests and the pages and verbs for
/// authors; labs as they were at the beginning; pages do not speak of what is left out. Of the labs only
/// those of `parts`. What is not the project's (an instructor's notes, submissions) is never in it.
std::vector<CourseFile> student_files(const Paths& paths, const std::vector<Chosen>& parts);

/// The slower versions of each part and the answers to open questions, for instructors who hand them out:
/// grades name them with each medal, but they can be read before.
std::vector<CourseFile> ladder_files(const Paths& paths, const std::vector<Chosen>& parts);

/// Files of a lab's folder that no lab has by its form, among those that go out: an instructor may have put
/// them there for nobody else. Names relative to the checkout.
std::vector<std::filesystem::path> unusual_files(const std::vector<CourseFile>& files,
                                                 const std::vector<Chosen>& parts);

/// Labs that were asked for and do not go out, because git does not know their files.
std::vector<std::string> missing_labs(const std::vector<CourseFile>& files, const std::vector<Chosen>& parts);

/// The README's table of labs with a row for each of `parts`: one that it lacks gets a row after the last.
std::string with_rows_for_labs(const std::string& readme, const std::vector<Chosen>& parts);

/// What an autograder's image needs to build and grade `parts`.
std::vector<CourseFile> autograder_files(const Paths& paths, const std::vector<Chosen>& parts);

/// Gradescope's autograder: setup.sh and run_autograder at the root of a zip. `hidden`: text of an
/// instructor's cases (hidden.h), empty for none. `built`: programs that it brings along instead of building
/// them.
std::string gradescope_zip(const Paths& paths, const std::vector<Chosen>& parts,
                           const std::string& hidden = {}, const std::vector<CourseFile>& built = {});

}  // namespace roofline::grader
