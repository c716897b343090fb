// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/sm_replay.h"

#include <gtest/gtest.h>

#include "simulator/tests/records.h"

namespace roofline::sim {
namespace {

using test::block_of;
using test::HandMade;
using Kind = Recorded::Kind;

class SmReplay : public testing::Test {
 protected:
  SmReplay() : gpu_(load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb")) {}

  ReplayOutcome replay(const BlockRecord& block, u64 blocks = 1, u32 resident = 1, double hits = 1) const {
    ReplayWork work;
    work.records = {&block, 1};
    work.blocks = blocks;
    work.resident = resident;
    work.hit_rate = [=](u32) { return hits; };
    return replay_sm(gpu_, work);
  }
  static double stall(const ReplayOutcome& outcome, Stall which) {
    return outcome.stalls[static_cast<size_t>(which)];
  }
  /// Loads of global memory, then arithmetic, between barriers: both phases take about as long.
  static HandMade phases(u32 count) {
    HandMade warp;
    for (u32 i = 0; i < count; ++i) {
      u32 last = 0;
      for (u32 k = 0; k < 8; ++k) last = warp.load(16);
      warp.memory(Kind::kShared, 4, 0, {last});
      warp.barrier(2 * i);
      for (u32 k = 0; k < 200; ++k) warp.arithmetic(Pipe::kFma);
      warp.barrier(2 * i + 1);
    }
    return warp;
  }

  const DeviceDescription gpu_;
};

// Breaks when a latency is left out or counted twice.
TEST_F(SmReplay, ChainOfOneWarpIsTheSumOfItsLatencies) {
  HandMade warp;
  u32 last = warp.load(4);
  last = warp.arithmetic(Pipe::kFma, {last});
  last = warp.arithmetic(Pipe::kAlu, {last});
  last = warp.shared({last});
  warp.arithmetic(Pipe::kFma, {last});
  const double others = gpu_.fma_latency + gpu_.alu_latency + gpu_.shared_latency + 1;
  const double port = 128 / gpu_.l2_bytes_per_clock;
  EXPECT_NEAR(replay(block_of(warp, 1)).cycles, port + gpu_.l2_latency + others, 3);
  EXPECT_NEAR(replay(block_of(warp, 1), 1, 1, 0).cycles, port + gpu_.dram_latency + others, 3);
}

TEST_F(SmReplay, IndependentLoadsOverlap) {
  HandMade warp;
  for (int i = 0; i < 8; ++i) warp.load(4);
  warp.arithmetic(Pipe::kAlu, {7});
  EXPECT_LT(replay(block_of(warp, 1)).cycles, gpu_.l2_latency + 8 * (128 / gpu_.l2_bytes_per_clock) + 10);
}

// A pipe takes its rate however many warps want it; warps of all sub-partitions fill it.
TEST_F(SmReplay, PipesHaveTheirRates) {
  HandMade warp;
  for (int i = 0; i < 1000; ++i) warp.arithmetic(Pipe::kFma);
  const double clocks = 16 * 1000 / (gpu_.fma_rate * gpu_.fma_efficiency);
  const ReplayOutcome outcome = replay(block_of(warp, 16));
  EXPECT_NEAR(outcome.cycles / clocks, 1, 0.01);
  EXPECT_GT(stall(outcome, Stall::kMathPipeThrottle), stall(outcome, Stall::kSelected));
}

// The fault that the replay is there for: what barriers keep apart does not overlap within a block; blocks
// beside each other fill each other's phases.
TEST_F(SmReplay, BarriersKeepPhasesApartWithinABlock) {
  const BlockRecord block = block_of(phases(20), 8);
  const double one = replay(block).cycles;
  const double arithmetic = 20 * 200 * 8 / (gpu_.fma_rate * gpu_.fma_efficiency);
  const double bytes = 20 * 8 * 8 * 16 * 32.0 / gpu_.l2_bytes_per_clock;
  EXPECT_GT(one, 0.95 * (arithmetic + bytes + 20 * gpu_.l2_latency));
  const double two = replay(block, 2, 2).cycles;
  EXPECT_GT(two, std::max(2 * arithmetic, 2 * bytes));
  EXPECT_LT(two, 0.85 * 2 * one);
  EXPECT_GT(stall(replay(block), Stall::kBarrier), 0);
}

// With two stages of asynchronous copies one block alone overlaps them with its arithmetic.
TEST_F(SmReplay, CopiesAreWaitedForWithTheirGroup) {
  const auto rounds = [&](u32 pending) {
    HandMade warp;
    const auto fetch = [&] {
      for (u32 k = 0; k < 8; ++k) warp.memory(Kind::kCopy, 4, 16);
      warp.commit();
    };
    for (u32 i = 0; i < pending; ++i) fetch();
    for (u32 i = 0; i < 20; ++i) {
      fetch();
      warp.wait_for_copies(pending);
      warp.barrier(i);
      for (u32 k = 0; k < 200; ++k) warp.arithmetic(Pipe::kFma);
    }
    return replay(block_of(warp, 8)).cycles;
  };
  EXPECT_GT(rounds(0), 1.3 * rounds(1));
  EXPECT_GT(replay(block_of(phases(20), 8)).cycles, 1.4 * rounds(1));
}

// Requests wait for each other in front of the port to L2.
TEST_F(SmReplay, LoadAddsToLatency) {
  HandMade warp;
  for (int i = 0; i < 32; ++i) warp.arithmetic(Pipe::kAlu, {warp.load(16)});
  const double alone = replay(block_of(warp, 1)).cycles;
  const double many = replay(block_of(warp, 48)).cycles;
  EXPECT_GT(many, 1.5 * alone);
  EXPECT_NEAR(many, 48 * 32 * 16 * 32 / gpu_.l2_bytes_per_clock, 0.1 * many);
}

TEST_F(SmReplay, BlocksFollowEachOther) {
  HandMade warp;
  warp.arithmetic(Pipe::kAlu, {warp.load(4)});
  const BlockRecord block = block_of(warp, 1);
  const double one = replay(block).cycles;
  EXPECT_NEAR(replay(block, 3, 1).cycles, 3 * one + 2 * gpu_.block_start_latency, 1);
  // A thousand are extrapolated.
  EXPECT_NEAR(replay(block, 1000, 1).cycles, 1000 * (one + gpu_.block_start_latency), 500);
  EXPECT_NEAR(replay(block, 1001, 4).cycles / (251 * (one + gpu_.block_start_latency)), 1, 0.02);
}

// Of a long block only a part was recorded.
TEST_F(SmReplay, TheRestOfALongBlockGoesOnAsItBegan) {
  BlockRecord block = block_of(phases(20), 8);
  const double all = replay(block).cycles;
  block.part = 0.25;
  EXPECT_NEAR(replay(block).cycles, 4 * all, 1);
}

TEST_F(SmReplay, IsTheSameEveryTime) {
  const BlockRecord block = block_of(phases(5), 8);
  const ReplayOutcome first = replay(block, 7, 2, 0.3), second = replay(block, 7, 2, 0.3);
  EXPECT_EQ(first.cycles, second.cycles);
  EXPECT_EQ(first.stalls, second.stalls);
}

// A record whose arrivals were cut off does not hang.
TEST_F(SmReplay, MeetingsWithoutArrivalsPass) {
  HandMade warp;
  Recorded meet;
  meet.kind = Kind::kMeet;
  meet.amount = 7;
  warp.add(meet);
  warp.arithmetic(Pipe::kAlu);
  EXPECT_GT(replay(block_of(warp, 4)).cycles, 0);
}

}  // namespace
}  // namespace roofline::sim
