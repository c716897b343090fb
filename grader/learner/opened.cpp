// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/opened.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include "grader/base/file.h"
#include "grader/lab/submission_file.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

/// The medal that a version says it earns; none where it says another thing.
Medal medal_of(const fs::path& version) {
  std::istringstream lines(read_file(version));
  std::string line;
  for (int i = 0; i < 5 && std::getline(lines, line); ++i)
    for (const MedalRow& row : kMedals)
      if (directive(line, "expect") == row.name) return row.medal;
  return Medal::kNone;
}

}  // namespace

std::string opened_by(Medal medal, const Chosen& chosen, const Paths& paths) {
  if (medal == Medal::kNone) return {};
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(chosen.versions(paths, "variants"), ignored))
    if (entry.path().extension() == ".cu" && medal_of(entry.path()) <= medal) files.push_back(entry.path());
  std::ranges::sort(files);
  const fs::path answer = chosen.solutions(paths) / "answer.md";
  if (medal == kBestMedal && fs::is_regular_file(answer, ignored)) files.push_back(answer);
  std::string text;
  for (const fs::path& file : files) {
    text += (text.empty() ? "  opened  " : "          ") + paths.shown(file);
    text += file == answer ? "  (to the open question)\n" : "\n";
  }
  return text;
}

}  // namespace roofline::grader
