// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace roofline::grader {

/// What to think of a deadline that passed on a computer with `ready` programs ready to run on `cores` cores:
/// deadlines are in wall time, in which a simulation may have got little of the processors. Empty where there
/// are few, and a deadline means what it says.
std::string busy_computer(double ready, unsigned cores);

/// The same of this computer, in the last minute.
std::string busy_computer();

/// Time of this computer's processors, in clock ticks.
struct ProcessorTime {
  std::uint64_t all = 0, idle = 0;
  std::uint64_t own = 0;  ///< of some processes
};
/// Until now; `own` is that of `processes` and of their children that ended. Nothing where the system does
/// not tell.
ProcessorTime processor_time(const std::vector<int>& processes);

/// Whether most of the processors' time between the two went to others. What a submission starts itself is
/// its own: nobody gets this answer by being many.
bool others_took_most(const ProcessorTime& before, const ProcessorTime& after);

}  // namespace roofline::grader
