// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

/// Files that an option names: what is wrong with them is the user's to mend.
namespace roofline::grader {

/// Throws UsageError: "there is no file x", "x is a folder, not a file", "x cannot be read". `remedy` goes
/// behind the first.
void require_file(const std::filesystem::path& file, const std::string& remedy = "");
/// For a file that is to be written, before the work is done: throws UsageError where it is a folder, or
/// where what is to hold it is none.
void require_place(const std::filesystem::path& file);
/// The whole file; throws as require_file does.
std::string read_given(const std::filesystem::path& file);

}  // namespace roofline::grader
