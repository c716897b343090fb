// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/program/function.h"

namespace roofline::sim {

/// Sums counters of host threads.
void add_instructions(std::vector<InstructionCounters>& to, const std::vector<IssueCounters>& issued,
                      const std::vector<InstructionCounters>& from);
/// What host threads count; what follows from the counters of instructions is derived once, at the end.
void add_totals(KernelCounters& to, const KernelCounters& from);

/// Gives elided instructions the counters of their donors, clears those of hidden ones, and derives the sums
/// over instructions: issue slots, pipes, FLOPs, branches.
void derive_sums(KernelCounters& counters, const Kernel& kernel);

}  // namespace roofline::sim
