// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/machine/warp.h"
#include "simulator/names.h"

/// Traps that no single instruction raises: lanes that wait for each other.
namespace roofline::sim {

/// Two groups of lanes of one warp stand at different barriers.
[[noreturn]] void report_divergent_barrier(const Warp& w, const Fragment& first, const Fragment& second);
/// Nobody in this warp can run, and nobody outside can help.
[[noreturn]] void report_deadlock(const Warp& w);
/// Every warp of the block waits.
[[noreturn]] void report_deadlock(const Block& block);
/// Blocks poll memory that no running block will ever change.
[[noreturn]] void report_endless_wait(const Block& block, u64 blocks);
[[noreturn]] void report_timeout(const Block& block, double seconds);

}  // namespace roofline::sim
