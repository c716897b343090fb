// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/result/result.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// What a submission that prepares a graph pays once, from the timeline up to its first call: the first
/// instantiation and upload, and the first launch, from the call to the start of its first node.
std::vector<OneTime> one_time_costs(const sim::Trace& trace);

}  // namespace roofline::grader
