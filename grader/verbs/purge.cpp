// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/batch/purge.h"

#include <cstdio>

#include "grader/base/printable.h"
#include "grader/verbs/batch.h"

namespace roofline::grader {

int purge_class(const Paths& paths, const BatchRequest& request) {
  const BatchFolder folder{std::filesystem::absolute(request.out)};
  const bool everybody = request.purge == "all";
  const Purge purge = everybody ? purge_of_class(folder) : purge_of_student(folder, request.purge);
  for (const auto& file : purge.files)
    std::printf("  %s  %s\n", request.yes ? "deleted     " : "would delete",
                printable(paths.shown(file)).c_str());
  if (!request.yes)
    throw UsageError("nothing was deleted; to delete these for good, give the same command with --yes");
  carry_out(purge, folder, everybody ? "" : request.purge);
  for (const std::string& left : purge.left) std::printf("  left to you   %s\n", printable(left).c_str());
  return 0;
}

}  // namespace roofline::grader
