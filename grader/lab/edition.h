// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace roofline::grader {

/// What one `./lab export --for students` gave out. A copy of the course carries it, so that a newer one can
/// tell what a student changed.
struct Edition {
  static constexpr const char* kFile = "edition.json";  ///< in the copy's root

  std::string version;                       ///< of Roofline Labs: "0.1.0"
  std::string made;                          ///< "2026-11-20T12:00:00Z": a later one is newer
  std::vector<std::string> labs;             ///< their folders
  std::map<std::string, std::string> files;  ///< SHA-256 by name, of all but kFile
  std::map<std::string, std::string> own;    ///< those of them that a student edits: as they were given out
  std::set<std::string> executable;
};

std::string edition_text(const Edition& edition);

/// `from` names the file in messages. Throws UsageError for what is none, also where a name leads out of the
/// copy or to what is nobody's to give (.git, .lab, build, results).
Edition parse_edition(const std::string& text, const std::string& from);

/// Nothing where `root` is no copy of a course, or one that was exported before there were editions.
std::optional<Edition> read_edition(const std::filesystem::path& root);

}  // namespace roofline::grader
