// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

/// Unified diffs of one file, as `diff -u` writes them, read strictly and applied without fuzz. Line ends of
/// Windows count as "\n".
namespace roofline::grader {

/// What makes a patch none, or why it does not fit.
struct PatchError : std::runtime_error {
  PatchError(std::size_t where, const std::string& sentence) : std::runtime_error(sentence), line(where) {}
  std::size_t line;  ///< of the patch, from 1
};

struct Hunk {
  std::size_t line = 0;                    ///< of the patch: its "@@"
  std::size_t from = 0;                    ///< first line that it replaces, from 1
  std::vector<std::string> before, after;  ///< lines with their "\n"; the last of a file may have none
};

struct Patch {
  std::string base;         ///< the file that it changes, as its line "--- " names it
  std::vector<Hunk> hunks;  ///< at least one; in order, without overlap
};

/// Lines that begin with '#', then "--- BASE", "+++ ANYTHING" and hunks with at least one line of the base
/// each. Throws PatchError for anything else.
Patch parse_patch(const std::string& text);

/// What the patch makes of its base. A hunk fits where it says, or in one place alone at most 100 lines away.
/// Throws PatchError.
std::string apply_patch(const Patch& patch, const std::string& base);

}  // namespace roofline::grader
