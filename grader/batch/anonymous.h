// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "grader/batch/batch.h"

/// Grading without knowing whose work it is.
namespace roofline::grader {

/// The same for a student in every run of a class; says nothing to who does not know the class's seed.
std::string anonymous_id(const std::string& id, std::uint64_t class_seed);

/// Submissions are called "submission 1", ... instead of what their files say about who wrote them.
void hide_labels(std::vector<HandedIn>& attempts);

/// Ids become anonymous ones and names and addresses go; students are in the order of their new ids.
void hide_people(ClassOutcome& outcome, std::uint64_t class_seed);

}  // namespace roofline::grader
