// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <set>

namespace roofline::sim::runtime {

/// Whether all threads of this process but `except` wait, without a time limit, for something that only
/// threads of this process do: for a lock, a condition or the end of another thread. If those in `except` do
/// nothing for them, they wait for ever. False where that cannot be found out.
bool wait_for_each_other(const std::set<pid_t>& except);

}  // namespace roofline::sim::runtime
