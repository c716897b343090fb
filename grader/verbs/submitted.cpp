// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/submitted.h"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "grader/base/given_file.h"
#include "grader/base/printable.h"
#include "grader/lab/submission_file.h"

namespace roofline::grader {
namespace fs = std::filesystem;
namespace {

constexpr int kDeepest = 4;  // folders that a submission's files may lie in

/// The prediction that goes with a file: the one beside it, else the learner's.
fs::path prediction_for(const Chosen& chosen, const fs::path& source, const Paths& paths) {
  const fs::path beside = fs::absolute(source).parent_path() / chosen.lab->prediction;
  std::error_code ignored;
  return fs::exists(beside, ignored) ? beside : chosen.folder(paths) / chosen.lab->prediction;
}

/// The regular file of this name in a submission, the one nearest to its root; links are not followed.
fs::path find_submitted(const fs::path& folder, const std::string& name) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; it != end; it.increment(error)) {
    if (it.depth() >= kDeepest) it.disable_recursion_pending();
    if (it->path().filename() == name && fs::is_regular_file(it->symlink_status(error)))
      found.push_back(it->path());
  }
  const auto depth = [](const fs::path& path) { return std::distance(path.begin(), path.end()); };
  const auto nearest = std::ranges::min_element(found, [&](const fs::path& a, const fs::path& b) {
    return std::pair(depth(a), a) < std::pair(depth(b), b);
  });
  if (found.size() > 1)
    std::fprintf(stderr, "  note    %zu files are called %s; this one counts: %s\n", found.size(),
                 name.c_str(), printable(nearest->string()).c_str());
  return nearest == found.end() ? fs::path() : *nearest;
}

}  // namespace

Submission submission_for(const Chosen& chosen, const GradeRequest& request, const Paths& paths) {
  Submission submission;
  if (!request.submission.empty()) {
    submission.source = find_submitted(request.submission, chosen.part->program.source);
    const fs::path beside = submission.source.parent_path() / chosen.lab->prediction;
    std::error_code ignored;
    submission.prediction =
        !submission.source.empty() && fs::is_regular_file(fs::symlink_status(beside, ignored))
            ? beside
            : find_submitted(request.submission, chosen.lab->prediction);
    return submission;
  }
  if (!request.file.empty()) {
    require_file(request.file);
    submission.source = submission_source(request.file, paths);
  } else if (request.solution) {
    submission.source = chosen.solution(paths);
    require_file(submission.source, "; a course repository for students comes without solutions");
  } else {
    submission.source = chosen.file(paths);
    require_file(submission.source, "; ./lab reset " + chosen.id() + " brings it back");
  }
  submission.prediction =
      prediction_for(chosen, request.file.empty() ? submission.source : fs::path(request.file), paths);
  return submission;
}

}  // namespace roofline::grader
