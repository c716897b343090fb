// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "grader/lab/spec.h"

namespace roofline::grader {
namespace {

std::vector<Case> each_alone(const Program& program, const Case& together) {
  std::vector<Case> cases;
  for (const Argument& argument : program.arguments) {
    const bool is_array = argument.kind == Argument::Kind::kInput || argument.kind == Argument::Kind::kOutput;
    if (!is_array || argument.scratch) continue;
    Case alone = together;
    alone.id += "-" + argument.name;
    alone.title = argument.name + " alone " + past_aligned(together.misaligned_elements);
    alone.misaligned_alone = argument.name;
    alone.tells.clear();
    cases.push_back(std::move(alone));
  }
  if (cases.size() < 2) cases.clear();  // the only array was moved already
  return cases;
}

}  // namespace

void complete(Lab& lab) {
  for (Part& part : lab.parts) {
    if (part.program.arrays_move_together) continue;
    const auto first =
        std::ranges::find_if(part.cases, [](const Case& one) { return one.misaligned_elements != 0; });
    if (first == part.cases.end()) continue;
    const std::vector<Case> alone = each_alone(part.program, *first);
    part.cases.insert(first + 1, alone.begin(), alone.end());
  }
}

}  // namespace roofline::grader
