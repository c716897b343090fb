// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <span>

#include "simulator/timing/recording.h"
#include "simulator/timing/stall.h"

namespace roofline::sim {

/// What is replayed on one SM.
struct ReplayWork {
  std::span<const BlockRecord> records;  ///< the SM's blocks are these in turn
  u64 blocks = 1;                        ///< of the SM, one after the other
  u32 resident = 1;                      ///< of them at a time
  double start_interval = 0;             ///< clocks between the starts of the first ones
  /// Share of an instruction's requests to L2 that hit.
  std::function<double(u32 instruction)> hit_rate;
  /// The SM's share of what all SMs share (0: no limit), and the part of written bytes that reaches DRAM.
  double l2_bytes_per_clock = 0, dram_bytes_per_clock = 0, stores_to_dram = 1;
  u64 most_instructions = ~u64{0};  ///< about as many are replayed, the rest is extrapolated
};

struct ReplayOutcome {
  double cycles = 0;  ///< from the start of the first block to the end of the last
  StallTimes stalls;  ///< cycles of warps, of what was replayed
  /// The same by instruction (index into the kernel's info). A wait belongs to the instruction that cannot
  /// issue; barriers, asynchronous copies, branches and sleep to the instruction that waits for them.
  std::vector<StallTimes> stalls_of;
};

/// Runs recorded blocks on one SM, event by event: four schedulers, each of which issues the oldest warp that
/// is ready; a warp issues in order; pipes of a sub-partition with rate and latency; one data path of L1 and
/// shared memory; the SM's port to L2 as a queue; barriers that hold; asynchronous copies that are waited for
/// where their group is. A block starts where one has ended. What is common to all SMs (L2's slices, DRAM)
/// has its latency here, not its rate.
ReplayOutcome replay_sm(const DeviceDescription& device, const ReplayWork& work);

}  // namespace roofline::sim
