// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "grader/result/result.h"
#include "simulator/channel/observed.h"
#include "simulator/timing/device_description.h"

/// From what a simulated device counted in a graded call to what a stored result keeps of it (GradeProfile).
namespace roofline::grader {

/// What happened between two looks at the same machine: counts that were there before are taken off.
std::vector<sim::LineRecord> lines_since(const std::vector<sim::LineRecord>& before,
                                         std::vector<sim::LineRecord> after);

/// Counts by line of `source`, as the compiler was told to call it; what was inlined from elsewhere counts
/// where it was called. Lines that did nothing are left out.
std::vector<LineCounts> counts_by_line(const std::vector<sim::LineRecord>& lines, const std::string& source);

/// Adds `more` to `all`, line by line.
void add_counts(std::vector<LineCounts>& all, const std::vector<LineCounts>& more);

/// What the advisor says about the call, in lines of `source`.
std::vector<LineAdvice> advice_on(const sim::Region& region, const std::vector<sim::LineRecord>& lines,
                                  const sim::DeviceDescription& device, const std::string& source);

/// Puts `more` where the same rule has not spoken of the same line yet; keeps the `kMostAdvice` with most to
/// gain.
void add_advice(std::vector<LineAdvice>& all, std::vector<LineAdvice> more);
inline constexpr size_t kMostAdvice = 8;

/// FLOPs and DRAM bytes of all the call's kernels, in `us`.
RooflinePoint roofline_point(const std::string& id, const sim::Region& region, double us);

/// The call that `region` is of, cut out of the timeline of the whole session; at most kMostSpans pieces,
/// from its beginning.
Timeline timeline_of(const sim::Trace& trace, const sim::Region& region);
inline constexpr size_t kMostSpans = 140;

}  // namespace roofline::grader
