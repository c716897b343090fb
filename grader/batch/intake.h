// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grader/batch/roster.h"
#include "grader/batch/unpacker.h"
#include "grader/box/box.h"
#include "grader/lab/selection.h"

/// From a folder as a platform exports it to what each student handed in.
namespace roofline::grader {

/// A file, archive or folder of a submission, and what the student called it.
struct Piece {
  std::filesystem::path path;
  std::string name;
};

/// What was handed in at one time. A student may have several of them: the best counts.
struct HandedIn {
  std::string id;           ///< the student's: also a file name
  std::string name, email;  ///< as far as known
  std::string label;  ///< the entry of the folder, or its files where a platform keeps them apart, printable
  std::vector<Piece> pieces;  ///< a platform may hand over a submission's files one by one
  std::optional<Seconds> time;
  bool in_roster = true;     ///< false: there is a roster, and this is nobody's of it
  bool marked_late = false;  ///< by the platform, which need not say when it was
  std::string problem{};     ///< why something in it cannot be graded, for the student
  std::map<std::string, std::string>
      tasks{};  ///< that grade it: key by part id; a part without a file has none
};

/// What may be known before a folder is read.
struct Search {
  std::vector<std::string> names{};            ///< of files that the labs ask for (declared_names)
  std::string time_zone{};                     ///< of platforms that do not tell theirs (from_zone)
  std::set<std::filesystem::path> left_out{};  ///< entries that are read otherwise
};

/// Every submission in `folder`, by student and time: folders, files and archives as Canvas, Moodle,
/// Blackboard, Brightspace, Gradescope and GitHub Classroom lay them out (layout.h). Files that a platform
/// hands over one by one are one submission; folders attempt-1, attempt-2 in a student's are one each. What a
/// group handed in is every member's. What is neither a folder nor a regular file is left out. Throws
/// UsageError where there is nothing, or where the folder is one student's.
std::vector<HandedIn> find_submissions(const std::filesystem::path& folder,
                                       const std::vector<Student>& roster, const Search& search = {});

/// The files that students hand in for these parts.
std::vector<std::string> declared_names(const std::vector<Chosen>& parts);

/// Who of the roster has none of these ids of HandedIn, in the roster's order.
std::vector<Student> without_submission(const std::vector<Student>& roster, std::set<std::string> ids);

/// Extensions may name a student as the roster does in any column; from then on as HandedIn does. Throws
/// UsageError for one that names nobody.
void name_by_id(LatePolicy& late, const std::vector<Student>& roster);

/// The files of a part in what was handed in.
struct PartFiles {
  std::string source, prediction;  ///< contents
  bool found = false;              ///< of the source
};
struct Intake {
  std::map<std::string, PartFiles> parts;  ///< by part id
  std::string problem;                     ///< for the student; empty: none
};

/// Takes the declared files out of a submission. Never throws for what a student did; throws
/// InfrastructureError where a box cannot be made.
Intake take_in(const HandedIn& handed_in, const std::vector<Chosen>& parts, const Unpacker& unpacker);

/// A student's id as HandedIn has it. Two names that become one file name are two students.
std::string safe_id(const std::string& id);

/// Letters, digits, '.', '-' and '_' only, never empty and never a hidden or special name.
std::string file_name_of(std::string_view text);

}  // namespace roofline::grader
