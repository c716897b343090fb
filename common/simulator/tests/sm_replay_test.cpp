// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "simulator/tests/records.h"
#include "simulator/timing/replay_memory.h"

namespace roofline::sim::sm_replay {
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
  /// Clocks of an SM for a load that hits L1, of many.
  static double clocks_a_load(const DeviceDescription& gpu, u32 passes, u32 transfers) {
    HandMade warp;
    Recorded load;
    load.kind = Kind::kLoad;
    load.pipe = Pipe::kMemory;
    load.issue = 1;
    load.passes = static_cast<u16>(passes);
    load.amount = transfers;
    for (u32 i = 0; i < 200; ++i) warp.add(load);
    const BlockRecord block = block_of(warp, 8);
    ReplayWork work;
    work.records = {&block, 1};
    work.hit_rate = [](u32) { return 1.0; };
    return replay_sm(gpu, work).cycles / (8 * 200);
  }
  static double stall(const ReplayOutcome& outcome, Stall which) { return outcome.stalls[which]; }
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

// Breaks when a pass over L1's banks is charged as much as 128 bytes, or these as little as a pass. Clocks
// that an A40 and an A100 took for a warp's load: strides of 1, 8 and 32 words (gpu-strides of gpu-benches).
TEST_F(SmReplay, PassesOfL1TakeAClockAndTransfersTheirBytes) {
  const DeviceDescription a40 = load_device(SIMULATOR_SOURCE "/devices", "a10");
  EXPECT_NEAR(clocks_a_load(a40, 1, 1), 2.00, 0.05);
  EXPECT_NEAR(clocks_a_load(a40, 8, 1), 8.0, 0.1);
  EXPECT_NEAR(clocks_a_load(a40, 32, 1), 32.0, 0.2);
  EXPECT_NEAR(clocks_a_load(gpu_, 1, 1), 1.02, 0.05);
  EXPECT_NEAR(clocks_a_load(gpu_, 8, 1), 8.0, 0.1);
}

// Integers are multiplied at 64 lanes a clock, also where there are 128 for floats.
TEST_F(SmReplay, IntegerMultiplicationsHaveHalfTheLanes) {
  const DeviceDescription gpu = load_device(SIMULATOR_SOURCE "/devices", "h200");
  const auto cycles = [&](FlopType type) {
    HandMade warp;
    Recorded product;
    product.pipe = Pipe::kFma;
    product.flop_type = type;
    product.issue = 1;
    for (int i = 0; i < 1000; ++i) warp.add(product);
    const BlockRecord block = block_of(warp, 16);
    ReplayWork work;
    work.records = {&block, 1};
    work.hit_rate = [](u32) { return 1.0; };
    return replay_sm(gpu, work).cycles;
  };
  EXPECT_NEAR(cycles(FlopType::kNone) / (16 * 1000), 1 / 1.99, 0.01);
  EXPECT_NEAR(cycles(FlopType::kF32) / (16 * 1000), 0.25 / gpu.fma_efficiency, 0.01);
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

// A barrier after another, of one warp to 32, on an H200: 14.9 to 77.0 clocks each were measured, in a loop
// that nvcc unrolls 16 times.
TEST_F(SmReplay, BarriersTakeOneWarpAfterTheOther) {
  const DeviceDescription gpu = load_device(SIMULATOR_SOURCE "/devices", "h200");
  for (const auto& [warps, measured] : {std::pair{1U, 14.9}, {4U, 20.9}, {8U, 28.9}, {32U, 77.0}}) {
    HandMade warp;
    constexpr u32 kSteps = 100;
    for (u32 i = 0; i < kSteps; ++i) warp.barrier(i);
    const BlockRecord block = block_of(warp, warps);
    ReplayWork work;
    work.records = {&block, 1};
    work.hit_rate = [](u32) { return 1.0; };
    EXPECT_NEAR(replay_sm(gpu, work).cycles / kSteps, measured, 3) << warps;
  }
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
  block.part = block.loop_part = 0.25;
  EXPECT_NEAR(replay(block).cycles, 4 * all, 1);
}

// Breaks when the way to a loop, which is walked once, is counted again for each part that was not recorded.
TEST_F(SmReplay, TheRestOfALongBlockGoesOnAsItsLoop) {
  const auto block = [](u32 rounds) {
    HandMade warp;
    u32 address = 0;
    for (u32 i = 0; i < 40; ++i) address = warp.load(32, {address});
    for (u32 i = 0; i < rounds; ++i) {
      u32 value = warp.load(16);
      for (u32 k = 0; k < 60; ++k) value = warp.arithmetic(Pipe::kFma, {value});
      warp.barrier(i);
    }
    return block_of(warp, 8);
  };
  const BlockRecord whole = block(60);
  BlockRecord first = block(6);
  const double instructions = 40 + 60 * 63;
  first.part = (40 + 6 * 63) / instructions;
  first.loop_meetings = 1;
  first.loop_part = 5 * 63 / instructions;
  const double expected = replay(whole, 6, 2).cycles;
  EXPECT_NEAR(replay(first, 6, 2).cycles, expected, expected * 0.03);
}

TEST_F(SmReplay, IsTheSameEveryTime) {
  const BlockRecord block = block_of(phases(5), 8);
  const ReplayOutcome first = replay(block, 7, 2, 0.3), second = replay(block, 7, 2, 0.3);
  EXPECT_EQ(first.cycles, second.cycles);
  EXPECT_EQ(first.stalls, second.stalls);
}

// Breaks when a launch gets the time of another one.
TEST_F(SmReplay, MemoryTellsWorkApart) {
  ReplayMemory memory;
  const BlockRecord two = block_of(phases(2), 8), three = block_of(phases(3), 8);
  double hits = 1;
  const auto cycles = [&](const BlockRecord& block, u64 blocks) {
    ReplayWork work;
    work.records = {&block, 1};
    work.blocks = blocks;
    work.hit_rate = [&](u32) { return hits; };
    const double known = memory.replay(gpu_, work).cycles;
    EXPECT_EQ(known, replay_sm(gpu_, work).cycles);
    EXPECT_EQ(known, memory.replay(gpu_, work).cycles);
    return known;
  };
  const double first = cycles(two, 1);
  EXPECT_LT(first, cycles(three, 1));
  EXPECT_LT(first, cycles(two, 2));
  hits = 0;
  EXPECT_LT(first, cycles(two, 1));
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

/// Blocks that load, and store what they loaded, with an SM's share of DRAM.
class SharedDram : public SmReplay {
 protected:
  double cycles_a_block(u32 warps, double bytes_per_clock, double stores_to_dram = 0) const {
    HandMade warp;
    const u32 loaded = warp.load(8);
    warp.store(8, {loaded});
    const BlockRecord block = block_of(warp, warps);
    ReplayWork work;
    work.records = {&block, 1};
    work.blocks = 64;
    work.resident = 2;
    work.hit_rate = [](u32) { return 0.0; };
    work.dram_bytes_per_clock = bytes_per_clock;
    work.stores_to_dram = stores_to_dram;
    return replay_sm(gpu_, work).cycles / static_cast<double>(work.blocks);
  }
};

// Breaks when an SM gets more of DRAM than its share, or less although it asks for all of it.
TEST_F(SharedDram, GivesItsShareAndNoMore) {
  const double bytes = 32 * 8 * kSectorBytes;
  EXPECT_NEAR(cycles_a_block(32, 8) / (bytes / 8), 1, 0.05);
  EXPECT_LT(cycles_a_block(32, 16), cycles_a_block(32, 8) * 0.6);
}

// Breaks when a load answers as fast beside a busy DRAM as beside an idle one.
TEST_F(SharedDram, AnswersLaterUnderLoad) {
  const double idle = cycles_a_block(4, 1e6), busy = cycles_a_block(4, 4);
  EXPECT_GT(busy, idle * 1.05);
  EXPECT_GT(4 * 8 * kSectorBytes / busy, 0.3);
}

// Breaks when written bytes do not keep loads waiting.
TEST_F(SharedDram, StoresKeepLoadsWaiting) {
  EXPECT_GT(cycles_a_block(8, 12, 1), cycles_a_block(8, 12, 0) * 1.1);
}

}  // namespace
}  // namespace roofline::sim::sm_replay
