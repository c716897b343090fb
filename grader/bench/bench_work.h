// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "grader/lab/declared_work.h"
#include "grader/lab/spec.h"

namespace roofline::grader {

/// Rates of roofs by id, in bytes or FLOPs or kernels a second.
using RoofRates = std::map<std::string, double>;

/// Something that every version of a part is timed at.
struct BenchWork {
  std::string id, title;
  Settings settings;
  Clock clock = Clock::kDevice;
  std::vector<std::string> roofs;  ///< whose rates `fraction` needs
  std::string limit;               ///< what it is a fraction of: "copy roof"
  std::function<DeclaredWork(const Settings&)> work;
  std::function<double(const Settings&, double seconds, const RoofRates&)> fraction;
};

/// Goals (one for each size), three points of each sweep (its ends and the one nearest to the data sheet's
/// ridge), overlaps. Nothing for a part whose answer has a quality and no time.
std::vector<BenchWork> bench_works(const Part& part, const DeviceFacts& facts);

}  // namespace roofline::grader
