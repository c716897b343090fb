// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "grader/base/paths.h"

/// A file that is handed to a grade: a `.cu`, or a `.patch` against one of the checkout.
namespace roofline::grader {

bool is_patch(const std::filesystem::path& file);
/// One or the other, by its name.
bool is_submission_file(const std::filesystem::path& file);

/// Whether a file may be a version of one that is called `own`: of its kind, or a patch.
bool is_version_of(const std::filesystem::path& file, const std::filesystem::path& own);

/// What is to be compiled: the file's text, of a patch what it makes of its base. Throws UsageError, of one
/// sentence, for a file that cannot be read, a patch that is none, names a file outside of the checkout, or
/// no longer fits.
std::string submission_text(const std::filesystem::path& file, const Paths& paths);

/// The same as a file, for the compiler: `file` itself, of a patch a file of the cache with its name.
std::filesystem::path submission_source(const std::filesystem::path& file, const Paths& paths);

/// What a comment line says under a key: "wrong-answer tail" of `// expect: wrong-answer tail`, or of
/// `# expect: ...` in a patch; empty where it says nothing.
std::string directive(std::string_view line, std::string_view key);

}  // namespace roofline::grader
