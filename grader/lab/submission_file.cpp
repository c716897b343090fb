// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/submission_file.h"

#include <algorithm>

#include "grader/base/file.h"
#include "grader/base/given_file.h"
#include "grader/base/patch.h"
#include "grader/base/printable.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr size_t kHashDigits = 8;

[[noreturn]] void refuse(const fs::path& file, size_t line, const std::string& sentence, const Paths& paths) {
  throw UsageError(paths.shown(file) + ":" + std::to_string(line) + ": " + sentence);
}

/// The `.cu` of the checkout that a patch names; links do not lead out of it.
fs::path base_of(const Patch& patch, const fs::path& file, const Paths& paths) {
  const size_t line = patch.hunks.front().line - 2;
  const auto no = [&](const std::string& why) {
    refuse(file, line,
           "\"--- " + printable(patch.base) + "\" " + why +
               "; it names a .cu by its path from the checkout's root, such as "
               "solutions/01-pointwise/pointwise.cu",
           paths);
  };
  std::error_code error;
  const fs::path root = fs::weakly_canonical(paths.root, error),
                 base = fs::weakly_canonical(root / patch.base, error);
  const fs::path inside = base.lexically_relative(root);
  if (error || fs::path(patch.base).is_absolute() || inside.empty() || *inside.begin() == "..")
    no("lies outside of the checkout");
  if (base.extension() != ".cu") no("is no .cu");
  if (!fs::is_regular_file(base, error)) no("is not there");
  return base;
}

}  // namespace

bool is_patch(const fs::path& file) { return file.extension() == ".patch"; }

bool is_submission_file(const fs::path& file) { return file.extension() == ".cu" || is_patch(file); }

bool is_version_of(const fs::path& file, const fs::path& own) {
  return file.extension() == own.extension() || is_patch(file);
}

std::string submission_text(const fs::path& file, const Paths& paths) {
  const std::string text = read_given(file);
  if (!is_patch(file)) return text;
  Patch patch;
  try {
    patch = parse_patch(text);
  } catch (const PatchError& error) {
    refuse(file, error.line, error.what(), paths);
  }
  const fs::path base = base_of(patch, file, paths);
  try {
    return apply_patch(patch, read_file(base));
  } catch (const PatchError& error) {
    refuse(file, error.line,
           "the hunk no longer fits " + printable(patch.base) + ": " + error.what() +
               "; make the patch anew with diff -u (docs/add-a-lab.md)",
           paths);
  }
}

fs::path submission_source(const fs::path& file, const Paths& paths) {
  if (!is_patch(file)) return file;
  const std::string text = submission_text(file, paths);
  const std::string hash = sha256_hex(text).substr(0, kHashDigits);
  const fs::path source = paths.cache() / (file.stem().string() + "-" + hash + ".cu");
  write_file(source, text);
  return source;
}

std::string directive(std::string_view line, std::string_view key) {
  for (const std::string_view comment : {"// ", "# "}) {
    const std::string begin = std::string(comment) + std::string(key) + ":";
    if (!line.starts_with(begin)) continue;
    line.remove_prefix(begin.size());
    const size_t first = std::min(line.find_first_not_of(' '), line.size());
    return std::string(line.substr(first, line.find_last_not_of(" \r") + 1 - first));
  }
  return {};
}

}  // namespace roofline::grader
