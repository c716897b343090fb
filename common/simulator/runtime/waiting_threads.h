// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <map>
#include <optional>
#include <set>

#include "simulator/types.h"

namespace roofline::sim::runtime {

/// How often each thread has begun to wait.
using ThreadWaits = std::map<pid_t, u64>;

/// Whether all threads of this process but `except` wait, without a time limit, for something that only
/// threads of this process do: for a lock, a condition or the end of another thread. They are looked at one
/// after the other: that they wait for each other is certain where a later look gives the same. Nothing where
/// one does not, a signal may wake one, or it cannot be found out.
std::optional<ThreadWaits> wait_for_each_other(const std::set<pid_t>& except);

}  // namespace roofline::sim::runtime
