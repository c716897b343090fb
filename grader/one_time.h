// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "grader/result.h"
#include "simulator/host/session.h"

namespace roofline::grader {

/// What a submission that prepares something pays once, from the timeline up to its first call: preparing as
/// a whole, the first instantiation and upload of a graph among it, and the first launch, from the call to
/// the start of its first node.
std::vector<OneTime> one_time_costs(const sim::Trace& trace, double prepare_seconds);

}  // namespace roofline::grader
