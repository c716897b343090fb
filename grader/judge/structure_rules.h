// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/lab/spec.h"
#include "grader/result/result.h"
#include "simulator/channel/observed.h"

/// Rules about how the work is done, decided from what the machine counted in the timed calls.
namespace roofline::grader {

/// The timed calls of one size.
struct CountedCalls {
  sim::Region region;  ///< the first call
  Settings settings;
  std::optional<sim::Region> last;  ///< none when there was only one call
};

/// A check for each rule of the part, kept or broken, and one for each rule of every part that has something
/// to say.
std::vector<Check> structure_checks(const Part& part, std::span<const CountedCalls> counted, bool simulated);

/// A sentence when a kernel, a copy or a fill ran in the legacy default stream: a rule for every part.
/// Neither the judge's own copies nor the stream that is given wait for it on a GPU: what is right here would
/// be a race there.
std::optional<std::string> used_default_stream(const sim::Region& region);

}  // namespace roofline::grader
