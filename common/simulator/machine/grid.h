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

/// How launches run; it may change between them.
struct GridSettings {
  double time_limit = 0;  ///< wall seconds of a launch; 0: none
  /// Blocks that run in turns start in the opposite order; clusters keep theirs.
  bool shuffle_blocks = false;
  /// Kernels of other processes use the same memory at the same time.
  bool shares_memory = false;
  /// Only so many blocks at each end of a grid run, and none where blocks may wait for each other: whether
  /// their addresses are right, in arrays that are too large to be worked on. 0: all run.
  u64 blocks_at_ends = 0;
};

/// Runs the blocks of launches, one launch at a time: on all host threads when their order cannot matter,
/// otherwise in turns on one. Nothing it reports depends on the number of threads.
class GridRunner {
 public:
  /// `threads`: of the host, 0: as many as it has cores.
  GridRunner(const DeviceDescription& device, const GridSettings& settings, unsigned threads);
  ~GridRunner();

  GridOutcome run(Grid& grid, L2Cache& l2, const Occupancy& occupancy);

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    explicit Worker(const DeviceDescription& device) : runner(device) {}
    BlockRunner runner;
    AccessCache access;
    AtomicHeat heat;
    RunMerger::Left left;  ///< of its share, when others run blocks, too
    std::vector<IssueCounters> issued;
    std::vector<InstructionCounters> counters;
    KernelCounters totals;
    KernelOutput output;
    BusiestTally busiest;
  };
  struct Launch;

  unsigned workers_for(const Launch& launch, bool in_turns) const;
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
  const GridSettings& settings_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<BlockRunner>> residents_;
};

}  // namespace roofline::sim
