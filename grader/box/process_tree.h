// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace roofline::grader {

/// Kills a child of ours and all that descends from it, whichever process groups they made for themselves.
/// The child is still to be waited for.
void kill_tree(pid_t child);

/// A process and all that descends from it, quickly: one that comes or goes meanwhile may be missed.
std::vector<pid_t> tree_of(pid_t root);
/// Processor time that they have used, with that of children which ended and were waited for, in clock ticks.
std::uint64_t processor_ticks_of(const std::vector<pid_t>& processes);
/// Memory that processes have written to or mapped and read, in bytes; what they share counts once where the
/// system tells, which takes longer: only beyond `exact_beyond`.
std::uint64_t memory_of(const std::vector<pid_t>& processes, std::uint64_t exact_beyond);

}  // namespace roofline::grader
