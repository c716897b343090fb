// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "grader/handout/new_lab.h"
#include "grader/verbs/verbs.h"

namespace roofline::grader {

int new_verb(const Paths& paths, const std::string& folder) {
  for (const std::filesystem::path& file : make_lab(paths.root, folder)) std::printf("  %s\n", file.c_str());
  const std::string number = folder.substr(0, 2);
  std::printf(
      "The lab builds, and its skeleton fails, as it must. Next:\n"
      "  1. write solutions/%s/%s.cu, and change spec.cpp, the skeleton and the pages to your lab's\n"
      "  2. ./lab author-check %s\n"
      "  3. write what the course's pages say of a lab: docs/add-a-lab.md lists them\n"
      "  4. git add and commit: only then does it go out to students\n"
      "docs/add-a-lab.md explains every field.\n",
      folder.c_str(), folder.substr(3).c_str(), number.c_str());
  return 0;
}

}  // namespace roofline::grader
