// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "simulator/machine/warp.h"

namespace roofline::sim {

/// What a sector of global memory holds, as a hash; 0 where there is no allocation. A device address is a
/// pointer of this process.
u64 hash_of_sector(const Memory& memory, u64 sector);

/// Everything one block needs while it runs, reused from block to block and launch to launch: nothing is
/// allocated for a block once the first has run.
class BlockRunner {
 public:
  explicit BlockRunner(const DeviceDescription& device);
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Sizes everything for a launch.
  void prepare(Grid& grid, u64 l1_bytes, IssueCounters* issued, std::vector<InstructionCounters>* counters,
               KernelCounters* totals, AccessCache* access, AtomicHeat* heat);
  /// Starts a block; `tracked`: its warps keep scoreboards; `recorded`: what timing replays, of each warp the
  /// first so many instructions (0: not at all). Its sector runs are appended to block().runs.
  void begin(u64 linear_id, bool tracked, u32 recorded, Cluster* cluster = nullptr, u32 rank = 0);
  /// Runs until the block ends (true), about `budget` warp instructions are done, or it seems to wait for
  /// others. Throws TrapException. `used`: warp instructions done; 0 when it waits for its cluster.
  bool run(u64 budget, u64& used);
  /// The same for blocks that run in the order of time: runs until all that the block could do next that
  /// other blocks meet starts after `cycle` of the kernel, or until it ends (true). The block must be
  /// tracked.
  bool run_until(double cycle, u64 budget, u64& used);
  /// When it goes on: cycle of the kernel; infinity when all of it waits for its cluster.
  double due() const;
  /// What it does next is what it did last, whatever time passes, until one of polled() changes.
  bool only_polls() const;
  /// Sectors (address / kSectorBytes) that it looks at meanwhile.
  std::vector<u64> polled() const;
  /// Cycles from poll to poll.
  double poll_period() const;
  /// Dependency time of the block so far, when it is sampled.
  Scoreboard::Cycles cycles() const;
  /// Dependency time of a block that ended and is not sampled, by the pace of a part of it; 0 of a short one.
  Scoreboard::Cycles cycles_by_pace() const;
  /// What was recorded of the block that ended.
  BlockRecord take_record() { return recorder_.finish(); }
  Block& block() { return block_; }
  const Block& block() const { return block_; }

 private:
  /// Of a warp that was watched.
  struct Pace {
    u64 from = 0;  ///< its first instruction of these
    Scoreboard::Cycles an_instruction{};
  };
  Scoreboard* scoreboard(u32 warp);
  /// From here on the warps keep scoreboards, or no longer.
  void watch();
  void unwatch();
  void watch_or_not();
  /// A sector of global memory, as it was when a warp accessed it.
  struct Look {
    u64 sector = 0;   ///< address / kSectorBytes
    u64 content = 0;  ///< as a hash
    bool operator==(const Look&) const = default;
  };
  /// What a warp that stops in front of its meetings with others does from one stop to another at which its
  /// registers are the same.
  struct Circle {
    u64 issued = 0;            ///< instructions of the warp at its last stop
    u64 registers = 0;         ///< as a hash, at the stop where the circle begins; 0: there is none
    double began = 0;          ///< when it was due then
    u32 stops = 0, most = 1;   ///< since then; and when a new circle begins if this one does not close
    std::vector<Look> looks;   ///< since then
    std::vector<Look> before;  ///< of the whole circle before
    double period = 0;         ///< cycles of a whole one
    bool repeats = false;      ///< the last two were the same, and so will the next be
  };
  void note_stops();
  void go_round(const Warp& w, Circle& circle);
  bool waits_for_cluster() const;
  u64 visible_work() const;

  const DeviceDescription& device_;
  Block block_;
  u64 spins_a_turn_ = 0;
  std::unique_ptr<Warp[]> warps_;
  u32 warp_capacity_ = 0;
  std::vector<std::unique_ptr<Scoreboard>> scoreboards_;
  std::vector<Pace> paces_;      ///< by warp; empty for a block that was not watched
  std::vector<Circle> circles_;  ///< by warp
  std::vector<Look> looks_;      ///< of the present turn
  bool watched_ = false;         ///< now
  bool may_be_watched_ = false;
  BlockRecorder recorder_;
  std::unique_ptr<L1Cache> l1_;
  u64 l1_bytes_ = 0;
  AlignedBytes shared_, reserved_, local_;
  u64 shared_capacity_ = 0, local_capacity_ = 0, entry_local_ = 0;
};

}  // namespace roofline::sim
