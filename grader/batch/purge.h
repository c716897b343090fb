// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/batch/task.h"

/// Deleting what a class's folder holds about people (docs/data-protection.md).
namespace roofline::grader {

struct Purge {
  std::vector<std::filesystem::path> files;  ///< to delete; folders with all that is in them
  std::vector<std::string> left;             ///< what a person has to take out, in sentences
};

/// All that the folder holds about a student: results, pages, sources and outcomes that are nobody else's,
/// and the class's tables, which name everybody. Throws UsageError for somebody it does not know.
Purge purge_of_student(const BatchFolder& folder, const std::string& id);
/// The whole class, decisions of people included.
Purge purge_of_class(const BatchFolder& folder);

/// Deletes, and takes the student (empty: nobody) out of the journal. Throws InfrastructureError where a file
/// stays, or while the class is being graded.
void carry_out(const Purge& purge, const BatchFolder& folder, const std::string& id);

}  // namespace roofline::grader
