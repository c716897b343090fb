// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/batch/course.h"

/// How the platforms name what they export.
namespace roofline::grader {

enum class Platform : std::uint8_t { kNone, kCanvas, kMoodle, kBlackboard, kBrightspace };

/// What the name of a folder or file tells. `file`: what the student called it, where the platform put the
/// rest in front, so that several entries are one submission; empty: the entry is all there is.
struct Layout {
  std::string id;  ///< of the student, as far as the name tells
  std::string name{}, email{}, platform_id{};
  std::optional<Seconds> time{};  ///< with `local_time` by the platform's own clock, whose zone is not told
  Platform platform = Platform::kNone;
  bool local_time = false;
  bool late = false;                   ///< the platform says so
  std::string file{};                  ///< "pointwise-1.cu"
  std::uint64_t number = 0;            ///< Canvas: of the attachment, rising in time
  std::vector<std::string> perhaps{};  ///< who may be meant, too, where the name can be read in several ways
};
/// Moodle, Canvas, Blackboard, Brightspace, else the name itself without the ending.
Layout layout_of(const std::string& entry);

/// Whether these are the entries of a folder or archive as a platform exports it for a class: each carries
/// the platform's form of name, or Gradescope's metadata lie among them.
bool is_an_export(const std::vector<std::string>& entries);

/// Of the platforms, or of an operating system: nothing that was handed in.
bool is_nobodys(const std::string& entry);

/// Names of repositories of one assignment, as GitHub Classroom makes them ("lab-01-ada-gh"): how the
/// student may be called, by entry, the likeliest first.
std::map<std::string, std::vector<std::string>> logins_of(const std::vector<std::string>& repositories);

struct GradescopeEntry {
  struct Person {
    std::string name, email, student_id;
  };
  std::vector<Person> submitters;  ///< several: a group
  std::optional<Seconds> time{};
};
/// submission_metadata.yml: the few lines of it that matter, by folder name.
std::map<std::string, GradescopeEntry> parse_gradescope(const std::string& yml);

/// `pointwise.cu` for `pointwise-1.cu` and `pointwise (2).cu`.
std::string without_copy_number(const std::string& file);

/// `pointwise.cu` also where a platform or a browser made it `pointwise-1.cu` or `pointwise (2).cu`, or
/// Canvas put `name_12_34_` in front; empty where it is none of `names`.
std::string declared_name(const std::string& file, const std::vector<std::string>& names);

}  // namespace roofline::grader
