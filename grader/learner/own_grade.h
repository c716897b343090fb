// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/paths.h"
#include "grader/lab/selection.h"
#include "grader/learner/progress_file.h"
#include "grader/result/result.h"
#include "grader/text/terminal.h"

/// What a grade means to the learner, before and after it. All texts are lines to print.
namespace roofline::grader {

/// How long it may take: what it took the last time on such a device.
std::string expected_time(const std::vector<Chosen>& parts, const Paths& paths,
                          const std::function<DeviceRecord(const Chosen&)>& device_of);

/// Asks for the predictions of a part that is graded for the first time, where a person can answer.
void ask_before_the_first(const Chosen& part, const Paths& paths);

/// Keeps the attempt and says what changed, which steps are reached, what the medal opens and what comes
/// next. A quick grade is not kept and shows its steps alone.
std::string after_own_grade(const Chosen& part, const Result& result, std::string_view source, bool quick,
                            ProgressFile& progress, const Paths& paths, const Terminal& terminal);

/// The steps that one file reaches.
std::string steps_of_one(const Result& result, const Terminal& terminal);

}  // namespace roofline::grader
