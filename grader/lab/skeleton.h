// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace roofline::grader {

/// A lab's file as the learner found it, and where that came from ("commit 1a2b3c4", a path).
struct Skeleton {
  std::string text;
  std::string origin;
};

/// Where the copy of a course says which version was given out (edition.h), that one. Else in a git checkout
/// the newest committed version that still has a TODO, so that learners may commit their work; else the copy
/// that `keep_skeleton` made. Nothing when none of them exists.
std::optional<Skeleton> find_skeleton(const std::filesystem::path& root, const std::filesystem::path& state,
                                      const std::filesystem::path& file);

/// Where there is no git history: remembers the file the first time it is seen, as long as it has a TODO.
void keep_skeleton(const std::filesystem::path& root, const std::filesystem::path& state,
                   const std::filesystem::path& file);

}  // namespace roofline::grader
