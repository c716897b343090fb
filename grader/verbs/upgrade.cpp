// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/handout/upgrade.h"

#include <algorithm>
#include <cstdio>

#include "grader/base/printable.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// Part of the diff; the rest is in the file.
constexpr std::size_t kShownLines = 40;

void print_diff(const std::string& diff) {
  std::size_t begin = 0;
  for (std::size_t line = 0; begin < diff.size(); ++line) {
    const std::size_t end = std::min(diff.find('\n', begin), diff.size() - 1) + 1;
    if (line == kShownLines) {
      std::printf("      ...\n");
      return;
    }
    std::printf("      %s", printable(diff.substr(begin, end - begin)).c_str());
    begin = end;
  }
}

void print_report(const Paths& paths, const UpgradeReport& done) {
  std::printf("This copy is now the course of %s: %zu files added, %zu changed, %zu deleted.\n",
              printable(done.after.made).c_str(), done.added, done.changed, done.removed);
  for (const auto& [name, diff] : done.skeletons) {
    std::printf("  %s is as you left it; its skeleton has changed:\n", printable(name).c_str());
    print_diff(diff);
    std::printf("    the whole change: %s\n",
                paths.shown(done.backups / "skeletons" / (name + ".diff")).c_str());
  }
  for (const std::string& name : done.backed_up)
    std::printf("  you had changed %s: yours is kept in %s\n", printable(name).c_str(),
                paths.shown(done.backups / "files" / name).c_str());
  for (const std::string& lab : done.labs_gone)
    std::printf("  labs/%s is no longer part of the course; what you wrote in it stays\n",
                printable(lab).c_str());
  std::error_code ignored;
  if (fs::exists(paths.root / ".git", ignored))
    std::printf("  In your repository: git add -A && git commit -m 'Course of %s'\n",
                printable(done.after.made).c_str());
}

}  // namespace

int upgrade_verb(const Paths& paths, const fs::path& given) {
  Upgrade upgrade(paths.root, paths.state);
  if (upgrade.pending()) {
    std::printf("Finishing the upgrade that was interrupted.\n");
    print_report(paths, upgrade.apply());
    if (given.empty()) return 0;
  }
  if (given.empty()) {
    const std::optional<Edition> now = read_edition(paths.root);
    throw UsageError(
        !now ? "this is no copy of a course that ./lab export wrote: git pull brings a checkout up to date"
             : "this copy is the course of " + now->made +
                   ". Name the new one, a folder or an archive: ./lab upgrade course-new.zip. In a "
                   "clone of the course's repository, git pull brings it instead");
  }
  if (!upgrade.stage(read_incoming(given, upgrade.scratch()), "/proc/self/exe")) {
    std::printf("This copy is the course of %s already.\n", read_edition(paths.root)->made.c_str());
    return 0;
  }
  print_report(paths, upgrade.apply());
  return 0;
}

}  // namespace roofline::grader
