// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/handout/course.h"
#include "grader/lab/edition.h"

namespace roofline::grader {

/// The edition that these files are; kFile itself is not among them.
Edition edition_of(const std::vector<CourseFile>& files, const std::vector<Chosen>& parts,
                   const std::string& version, const std::string& made);

/// A new edition with its files.
struct Incoming {
  Edition edition;  ///< with the sums of the files as they came
  std::map<std::string, std::string> bytes;
};

/// `given`: a folder that `./lab export --for students` wrote, or an archive of one, which is unpacked below
/// `scratch`. Throws UsageError where it is neither, or not all of one.
Incoming read_incoming(const std::filesystem::path& given, const std::filesystem::path& scratch);

Incoming incoming_of(const std::vector<CourseFile>& files, const Edition& edition);

}  // namespace roofline::grader
