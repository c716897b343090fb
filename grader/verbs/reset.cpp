// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <ctime>

#include "grader/base/file.h"
#include "grader/lab/skeleton.h"
#include "grader/learner/current.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// `.lab/backups/01-pointwise/pointwise.20260131-101500.cu`; a number is added until the name is free.
fs::path backup_name(const Paths& paths, const Chosen& part) {
  const fs::path file = part.file(paths);
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &parts);
  for (int n = 0;; ++n) {
    const fs::path name =
        paths.state / "backups" / part.lab->folder /
        (file.stem().string() + "." + stamp + (n ? "-" + std::to_string(n) : "") + file.extension().string());
    if (std::error_code ignored; !fs::exists(name, ignored)) return name;
  }
}

void reset(const Paths& paths, const Chosen& part, ProgressFile& progress) {
  const fs::path file = part.file(paths);
  const auto skeleton = find_skeleton(paths.root, paths.state, file);
  if (!skeleton)
    throw InfrastructureError("the first version of " + paths.shown(file) +
                              " is neither in git nor in .lab/skeletons; your file was left as it is");
  std::error_code ignored;
  const std::string name = paths.shown(file);
  if (fs::exists(file, ignored)) {
    const std::string mine = read_file(file);
    if (mine == skeleton->text) {
      std::printf("%s is already as it was.\n", name.c_str());
      return;
    }
    const fs::path backup = backup_name(paths, part);
    write_file(backup, mine);
    if (read_file(backup) != mine)
      throw InfrastructureError("the backup " + backup.string() + " is not complete");
    std::printf("Your file is kept in %s\n", paths.shown(backup).c_str());
  }
  write_file(file, skeleton->text);
  progress.forget_hints(part.id());
  std::printf("%s is as it was (%s).\n", name.c_str(), skeleton->origin.c_str());
}

}  // namespace

int reset_verb(const Paths& paths, const std::string& lab) {
  const std::vector<Lab>& labs = all_labs();
  ProgressFile progress(paths.state / "progress.json");
  if (lab == "all") throw UsageError("reset takes one lab at a time, for example: ./lab reset 01");
  for (const Chosen& part : select(labs, {lab})) reset(paths, part, progress);
  return 0;
}

}  // namespace roofline::grader
