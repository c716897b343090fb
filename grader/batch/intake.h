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
#include "grader/box/box.h"
#include "grader/lab/selection.h"

/// From a folder as a platform exports it to what each student handed in.
namespace roofline::grader {

/// One thing that was handed in. A student may have several: the best counts.
struct HandedIn {
  std::string id;           ///< the student's: also a file name
  std::string name, email;  ///< as far as known
  std::string label;        ///< the entry of the folder, printable
  std::filesystem::path path;
  std::optional<Seconds> time;
  bool in_roster = true;  ///< false: there is a roster, and this is nobody's of it
  std::string problem{};  ///< why something in it cannot be graded, for the student
  std::map<std::string, std::string>
      tasks{};  ///< that grade it: key by part id; a part without a file has none
};

/// Every entry of `folder`, by label: folders, files and archives as Canvas (`name_12_34_file.zip`), Moodle
/// (`Name_12_assignsubmission_file_`), Gradescope (`submission_12` with submission_metadata.yml) and Git
/// clones lay them out. What a group handed in is every member's. What is neither a folder nor a regular file
/// is left out. Throws UsageError where there is nothing.
std::vector<HandedIn> find_submissions(const std::filesystem::path& folder,
                                       const std::vector<Student>& roster);

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

/// Wall time for archives: of a submission, and of all of them together. Who unpacks when the latter is spent
/// has a second.
class UnpackingTime {
 public:
  using Seconds = std::chrono::duration<double>;
  static constexpr Seconds kOfSubmission{20}, kOfBatch{300}, kAfterwards{1};
  void begin_submission() { of_submission_ = kOfSubmission; }
  /// For the next archive.
  Seconds left() const { return std::min(of_submission_, std::max(of_batch_, kAfterwards)); }
  void spend(Seconds seconds) {
    of_submission_ -= seconds;
    of_batch_ -= seconds;
  }

 private:
  Seconds of_submission_ = kOfSubmission, of_batch_ = kOfBatch;
};

struct Unpacker {
  Sandbox sandbox = Sandbox::kNone;
  std::filesystem::path program;  ///< empty: built without libarchive
  std::shared_ptr<UnpackingTime> time = std::make_shared<UnpackingTime>();
};

/// Takes the declared files out of a submission. Never throws for what a student did; throws
/// InfrastructureError where a box cannot be made.
Intake take_in(const HandedIn& handed_in, const std::vector<Chosen>& parts, const Unpacker& unpacker);

/// Letters, digits, '.', '-' and '_' only, never empty and never a hidden or special name.
std::string file_name_of(std::string_view text);

}  // namespace roofline::grader
