// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/learner/current.h"

namespace roofline::grader {

Chosen current_part(const std::vector<Lab>& labs, const ProgressFile& progress) {
  const std::vector<Chosen> parts = all_parts(labs);
  if (parts.empty())
    throw InfrastructureError("this build has no labs; a lab is a folder labs/NN-name with a spec.cpp");
  for (const Chosen& part : parts)
    if (!progress.at(part.id()).passed) return part;
  return parts.back();
}

std::string state_of(const LabProgress& progress) {
  if (progress.passed)
    return progress.medal == Medal::kNone ? "passed" : "passed: " + std::string(name_of(progress.medal));
  if (progress.attempts == 0) return "not started";
  return "tried " +
         std::string(progress.attempts == 1 ? "once" : std::to_string(progress.attempts) + " times") + ": " +
         progress.last;
}

std::string short_title(const Chosen& chosen) {
  const std::string& title = chosen.title();
  const std::string prefix = chosen.lab->name() + ": ";
  return title.starts_with(prefix) ? title.substr(prefix.size()) : title;
}

}  // namespace roofline::grader
