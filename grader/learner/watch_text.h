// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/learner/attempts.h"

namespace roofline::grader {

/// What `watch` says after a save: the verdict in one line, beneath it the first thing that is wrong, and
/// what changed against the last and the best of `before`. `seconds`: from the save to now.
std::string quick_text(const Result& result, const std::vector<Attempt>& before, double seconds,
                       const Terminal& terminal);

/// The keys, in a line.
std::string keys_text(const Terminal& terminal);

}  // namespace roofline::grader
