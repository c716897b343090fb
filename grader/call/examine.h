// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/call/call.h"
#include "grader/call/fault.h"
#include "grader/call/rig.h"

namespace roofline::grader {

struct ExamineOptions {
  std::uint64_t host_to_device_limit = 4096;
};

/// What is wrong with a call's outcome, in the order in which a learner should hear it: it did not finish;
/// nothing was written and nothing ran; it wrote out of bounds; it changed an input; its values are wrong;
/// they are right, but the device did not compute them.
struct Examination {
  Fault fault;
  std::vector<std::pair<std::string, Detail>> detail;
};
Examination examine(const CallPlan& plan, const CallOutcome& outcome, std::span<const std::byte> input,
                    const ExamineOptions& options);

/// Index of the first element in which two outcomes of the same call differ; nothing where they agree.
std::optional<std::pair<std::string, std::uint64_t>> first_difference(const CallPlan& plan,
                                                                      const CallOutcome& one,
                                                                      const CallOutcome& other);

}  // namespace roofline::grader
