// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/machine/access_cache.h"
#include "simulator/machine/block.h"
#include "simulator/machine/kernel_output.h"
#include "simulator/machine/run_merger.h"
#include "simulator/machine/thread_pool.h"
#include "simulator/timing/busiest.h"

namespace roofline::sim {

/// What running all blocks of a launch produced.
struct GridOutcome {
  KernelCounters counters;  ///< per instruction and per request; sums over instructions are derived later
  KernelOutput output;
  std::vector<BlockRecord> records;  ///< of the sampled blocks, spread over the grid
  /// Of a kernel whose blocks may wait for each other: cycles until the last one ended, each with its
  /// dependency time and with what it waited for others (machine/time_order.h); 0 for other kernels.
  double cycles_in_time = 0;
  std::optional<Trap> trap;
  u64 trapped_block = 0;
};

/// Runs the blocks of launches: on all host threads when their order cannot matter, otherwise in turns on
/// one. Nothing it reports depends on the number of threads.
class GridRunner {
 public:
  GridRunner(const DeviceDescription& device, unsigned threads);
  ~GridRunner();

  void set_time_limit(double seconds) { time_limit_ = seconds; }
  /// Blocks that run in turns start in the opposite order; clusters keep theirs.
  void set_shuffle_blocks(bool shuffled) { shuffle_blocks_ = shuffled; }
  /// Kernels of other processes use the same memory at the same time.
  void set_shares_memory(bool shares) { shares_memory_ = shares; }
  /// Only so many blocks at each end of a grid run, and none where blocks may wait for each other: whether
  /// their addresses are right, in arrays that are too large to be worked on. 0: all run.
  void set_blocks_at_ends(u64 blocks) { blocks_at_ends_ = blocks; }
  unsigned threads() const { return pool_.workers(); }
  GridOutcome run(Grid& grid, L2Cache& l2, const Occupancy& occupancy);

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    explicit Worker(const DeviceDescription& device) : runner(device) {}
    BlockRunner runner;
    AccessCache access;
    AtomicHeat heat;
    std::vector<IssueCounters> issued;
    std::vector<InstructionCounters> counters;
    KernelCounters totals;
    KernelOutput output;
    BusiestTally busiest;
  };
  struct Launch;

  void run_parallel(Launch& launch);
  void run_in_turns(Launch& launch);
  void run_in_time(Launch& launch);
  void work(Launch& launch, Worker& worker);
  void run_block(Launch& launch, Worker& worker, u64 id);
  void finish_block(Launch& launch, Worker& worker, BlockRunner& runner);
  void start_block(Launch& launch, BlockRunner& runner, u64 n);
  void end_in_cluster(Launch& launch, const Block& block);
  BlockRunner& idle_runner(Launch& launch, std::vector<BlockRunner*>& idle);
  void note_trap(Launch& launch, u64 block, const Trap& trap);
  void check_time(const Launch& launch, const Block& block) const;

  const DeviceDescription& device_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<BlockRunner>> residents_;
  double time_limit_ = 0;
  bool shuffle_blocks_ = false, shares_memory_ = false;
  u64 blocks_at_ends_ = 0;
};

}  // namespace roofline::sim
