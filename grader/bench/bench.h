// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/workbench.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// What one version of a bench came to. Outputs are checked as in a grade, roofs and thresholds play no part.
struct BenchCurve {
  std::string name;
  bool yours = false;      ///< the learner's file
  std::string problem;     ///< why there are no (more) times
  std::vector<double> us;  ///< in the bench's unit, by value; shorter where a call failed
  sim::Trace timeline;     ///< simulated: of a call at Bench::timeline_at ...
  sim::Region timed;       ///< ... and what the device did in it
};

/// Times a version that was built as `worker` and fills in the rest of `curve`.
void bench_version(BenchCurve& curve, const Part& part, const std::filesystem::path& worker,
                   const DeviceChoice& device, const GradeOptions& options);

/// Every version of a part's bench. One that does not build or run is a curve with a problem.
std::vector<BenchCurve> bench_versions(Workbench& workbench, const Chosen& chosen, const Paths& paths);

/// The first value beyond which doubling the argument costs at least this much more time, or the last one.
struct Doubling {
  double value = 0;
  double growth = 0;  ///< of the time, for the first doubling that reaches the limit; 0: none does
};
Doubling first_costly_doubling(const Bench& bench, const BenchCurve& curve, double limit);

}  // namespace roofline::grader
