// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/formats/format.h"
#include "grader/result/result.h"

namespace roofline::grader {

/// `lab/result/v1` as JSON text: one result as an object, several as {"results": [...]}. The schema is
/// result_v1.schema.json beside this file.
std::string to_json(const std::vector<Result>& results);

/// `lab/graded/v1`: a submission of a class with its results.
std::string to_json(const Graded& graded);

/// Back from any of the three forms (read_json.h). Throws std::runtime_error that says what is wrong.
Graded from_json(const std::string& text);

/// A file that `grade --json` or `batch` wrote; without an id of its own it is called as the file is.
Graded read_graded(const std::filesystem::path& file);
/// Every NAME.json of a folder, in the order of their names.
std::vector<Graded> read_graded_folder(const std::filesystem::path& folder);

}  // namespace roofline::grader
