// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/bench/bench.h"

namespace roofline::grader {

/// Time against the argument, both logarithmic, a curve for each version.
std::string bench_svg(const Bench& bench, const std::vector<BenchCurve>& curves, const DeviceRecord& device);

/// The timelines of the versions one below the other on one scale, from the first launch on: a row for the
/// host's calls, where a wait is lighter than a call, and a row for the work of the device.
std::string timeline_svg(const Bench& bench, const std::vector<BenchCurve>& curves,
                         const DeviceRecord& device);

}  // namespace roofline::grader
