// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "grader/batch/task.h"

/// What grading a class leaves in its folder, in one list for everything that deletes.
namespace roofline::grader {

/// Everything that `./lab batch` writes there, as far as it exists; what people put there (overrides.toml,
/// notes) is not among it.
std::vector<std::filesystem::path> class_files(const BatchFolder& folder);
/// Those of them that hold the whole class: they are written anew whenever points are given.
std::vector<std::filesystem::path> class_tables(const BatchFolder& folder);
/// Those of one student.
std::vector<std::filesystem::path> student_files_of(const BatchFolder& folder, const std::string& id);

/// Whose submissions the tasks grade: id -> keys. Kept so that one student's can be deleted.
using Owners = std::map<std::string, std::set<std::string>>;
Owners read_owners(const BatchFolder& folder);
/// Adds to what is known.
void keep_owners(const BatchFolder& folder, Owners owners);
void write_owners(const BatchFolder& folder, const Owners& owners);

}  // namespace roofline::grader
