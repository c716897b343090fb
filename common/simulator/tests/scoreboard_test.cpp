// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Dependency time of one warp, in clocks of an A100.
#include "simulator/timing/scoreboard.h"

#include <gtest/gtest.h>

namespace roofline::sim {
namespace {

class ScoreboardTest : public testing::Test {
 protected:
  ScoreboardTest() : gpu_(load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb")), board_(gpu_) {}

  static Slot row(u32 index) { return {(index + 1) * 128}; }

  void run(Pipe pipe, u32 d, std::initializer_list<u32> sources, u8 issue = 1) {
    Instruction in = operands(d, sources);
    InstructionInfo info;
    info.cost = {pipe, issue, FlopType::kNone, 0};
    board_.issue(in, info, MemoryLevel::kNone, 1);
  }
  void load(u32 d, u32 address, MemoryLevel level, u32 passes = 1) {
    InstructionInfo info;
    info.cost.pipe = Pipe::kMemory;
    info.is_load = true;
    board_.issue(operands(d, {address}), info, level, passes);
  }
  static Instruction operands(u32 d, std::initializer_list<u32> sources) {
    Instruction in;
    in.d = row(d);
    Slot* const slots[] = {&in.a, &in.b, &in.c};
    size_t i = 0;
    for (const u32 source : sources) *slots[i++] = row(source);
    return in;
  }
  /// Clocks until register `d` can be used: what an instruction that reads it would wait for.
  Scoreboard::Cycles ready(u32 d) {
    Scoreboard copy = board_;
    InstructionInfo info;
    info.cost.pipe = Pipe::kAlu;
    copy.issue(operands(99, {d}), info, MemoryLevel::kNone, 1);
    return {copy.now().l2 - 1, copy.now().dram - 1};
  }

  DeviceDescription gpu_;
  Scoreboard board_;
};

// Published (Abdelkhalik et al.): add.f32 takes 4 clocks when dependent, 2 when independent.
TEST_F(ScoreboardTest, DependentAndIndependentAdds) {
  for (int i = 0; i < 100; ++i) run(Pipe::kFma, 1, {1, 2});
  EXPECT_NEAR(ready(1).l2, 400, 1);
  board_.reset();
  for (u32 i = 0; i < 100; ++i) run(Pipe::kFma, 10 + i, {1, 2});
  EXPECT_NEAR(board_.now().l2, 200, 2);
}

// Two pipes are fed in turn: a warp issues one instruction a clock.
TEST_F(ScoreboardTest, PipesAlternate) {
  for (u32 i = 0; i < 50; ++i) {
    run(Pipe::kFma, 10 + i, {1});
    run(Pipe::kAlu, 100 + i, {2});
  }
  EXPECT_NEAR(board_.now().l2, 100, 2);
}

// A load costs its latency when its value is used, not when it is issued; several overlap.
TEST_F(ScoreboardTest, LoadsOverlapUntilUsed) {
  for (u32 i = 0; i < 4; ++i) load(10 + i, 1, MemoryLevel::kBeyondL1);
  EXPECT_LT(board_.now().dram, 20);
  run(Pipe::kFma, 20, {10, 13});
  EXPECT_NEAR(board_.now().dram, gpu_.dram_latency, 20);
  EXPECT_NEAR(board_.now().l2, gpu_.l2_latency, 20);
  board_.reset();
  EXPECT_EQ(board_.now().dram, 0);
  for (u32 i = 0; i < 4; ++i) load(10, 10, MemoryLevel::kBeyondL1);  // a chase of pointers
  EXPECT_NEAR(ready(10).dram, 4 * gpu_.dram_latency, 1);
}

TEST_F(ScoreboardTest, LevelsDiffer) {
  load(1, 9, MemoryLevel::kShared);
  EXPECT_NEAR(ready(1).l2, gpu_.shared_latency, 1e-9);
  board_.reset();
  load(1, 9, MemoryLevel::kL1);
  EXPECT_NEAR(ready(1).l2, gpu_.l1_latency, 1e-9);
  EXPECT_EQ(ready(1).l2, ready(1).dram) << "what L1 answers does not depend on L2";
  board_.reset();
  load(1, 9, MemoryLevel::kShared, 32);
  EXPECT_NEAR(ready(1).l2, gpu_.shared_latency + 31, 1e-9) << "a 32-way bank conflict";
}

// ptxas schedules within a basic block: independent work behind a waiting instruction does not wait with it.
// A branch ends the block: everything in it has been issued by then.
TEST_F(ScoreboardTest, IndependentWorkIsScheduledBeforeWaiting) {
  load(1, 9, MemoryLevel::kBeyondL1);
  run(Pipe::kFma, 2, {1});
  load(3, 9, MemoryLevel::kBeyondL1);
  run(Pipe::kFma, 4, {3});
  EXPECT_NEAR(board_.now().dram, gpu_.dram_latency, 20) << "the second load did not wait for the first";
  run(Pipe::kControl, 90, {});
  load(5, 9, MemoryLevel::kBeyondL1);
  EXPECT_GE(board_.now().dram, gpu_.dram_latency) << "the next block begins after the first";
  EXPECT_GE(ready(5).dram, 2 * gpu_.dram_latency);
}

// A load may read what a store before it wrote: it is not moved up, unless it goes through the read-only
// path.
TEST_F(ScoreboardTest, LoadsDoNotPassStores) {
  InstructionInfo store, plain, read_only;
  for (auto* info : {&store, &plain, &read_only}) info->cost.pipe = Pipe::kMemory;
  store.is_store = true;
  plain.is_load = read_only.is_load = true;
  read_only.traits.read_only = true;
  load(1, 9, MemoryLevel::kBeyondL1);
  board_.issue(operands(70, {8, 1}), store, MemoryLevel::kBeyondL1, 1);
  board_.issue(operands(2, {9}), read_only, MemoryLevel::kBeyondL1, 1);
  EXPECT_LT(ready(2).dram, gpu_.dram_latency + 20);
  board_.issue(operands(3, {9}), plain, MemoryLevel::kBeyondL1, 1);
  EXPECT_GE(ready(3).dram, 2 * gpu_.dram_latency);

  board_.reset();
  load(1, 9, MemoryLevel::kBeyondL1);
  board_.issue(operands(70, {8, 1}), store, MemoryLevel::kBeyondL1, 1);
  for (int i = 0; i < 30; ++i) load(4, 4, MemoryLevel::kShared);
  EXPECT_NEAR(ready(4).dram, 30 * gpu_.shared_latency, 10) << "shared memory is another place";
}

// Moves cost nothing on hardware, but what they copy must still be waited for.
TEST_F(ScoreboardTest, FreeInstructionsPassReadinessOn) {
  load(1, 9, MemoryLevel::kBeyondL1);
  const double before = board_.now().dram;
  run(Pipe::kNone, 2, {1});
  EXPECT_EQ(board_.now().dram, before);
  EXPECT_NEAR(ready(2).dram, gpu_.dram_latency, 1e-9);
}

// A store needs its value but gives nothing to wait for.
TEST_F(ScoreboardTest, StoresWaitForTheirValue) {
  load(1, 9, MemoryLevel::kBeyondL1);
  InstructionInfo info;
  info.cost.pipe = Pipe::kMemory;
  info.is_store = true;
  board_.issue(operands(5, {8, 1}), info, MemoryLevel::kBeyondL1, 1);
  EXPECT_GE(board_.now().dram, gpu_.dram_latency);
  EXPECT_LE(board_.now().dram, gpu_.dram_latency + 10) << "nobody waits for the store itself";
  EXPECT_EQ(ready(5).l2, ready(8).l2) << "the store wrote no register";

  load(1, 9, MemoryLevel::kBeyondL1);
  const double before = board_.now().dram;
  board_.issue(operands(1, {8}), info, MemoryLevel::kBeyondL1, 1);
  EXPECT_GE(board_.now().dram, before + gpu_.dram_latency - 2) << "wherever the store keeps its value";
}

// A guard is a source. An instruction of several steps is a chain.
TEST_F(ScoreboardTest, GuardsAndLongInstructions) {
  load(1, 9, MemoryLevel::kL1);
  Instruction in = operands(2, {3});
  in.guard = row(1);
  in.guard_kind = Guard::kIf;
  InstructionInfo info;
  info.cost.pipe = Pipe::kAlu;
  board_.issue(in, info, MemoryLevel::kNone, 1);
  EXPECT_GE(board_.now().l2, gpu_.l1_latency);
  board_.reset();
  run(Pipe::kFma, 1, {2}, 10);
  EXPECT_NEAR(ready(1).l2, 10 * gpu_.fma_latency, 1e-9);
}

// Vector loads fill all their slots; a matrix instruction writes the leading ones and reads the others.
TEST_F(ScoreboardTest, ExtraSlots) {
  Extra vector;
  vector.slots = {row(10), row(11)};
  Instruction in;
  in.a = row(1);
  in.extra = &vector;
  InstructionInfo info;
  info.cost.pipe = Pipe::kMemory;
  info.is_load = true;
  board_.issue(in, info, MemoryLevel::kBeyondL1, 1);
  EXPECT_NEAR(ready(11).dram, gpu_.dram_latency, 1e-9);

  Extra matrix;
  matrix.slots = {row(20), row(21), row(10), row(30)};
  matrix.written = 2;
  Instruction mma;
  mma.extra = &matrix;
  InstructionInfo tensor;
  tensor.cost = {Pipe::kTensor, 1, FlopType::kTensorF16F32, 4096};
  board_.issue(mma, tensor, MemoryLevel::kNone, 1);
  EXPECT_GE(board_.now().dram, gpu_.dram_latency) << "waits for the loaded fragment";
  EXPECT_NEAR(ready(21).dram, gpu_.dram_latency + gpu_.tensor_latency, 1e-9);
  EXPECT_LT(ready(30).dram, gpu_.dram_latency + gpu_.tensor_latency)
      << "a fragment that is only read stays ready";
}

// Independent m16n8k16 follow each other at a quarter of the SM's rate: 4096 FLOPs at 512 a clock.
TEST_F(ScoreboardTest, TensorRateOfOneWarp) {
  InstructionInfo info;
  info.cost = {Pipe::kTensor, 1, FlopType::kTensorF16F32, 4096};
  for (u32 i = 0; i < 100; ++i) board_.issue(operands(10 + i, {1, 2}), info, MemoryLevel::kNone, 1);
  EXPECT_NEAR(board_.now().l2, 99 * 8, 10);
}

TEST_F(ScoreboardTest, BarrierWaitsForTheLastWarp) {
  run(Pipe::kAlu, 1, {2});
  board_.advance_to({1000, 2000});
  EXPECT_EQ(board_.now().l2, 1000 + gpu_.barrier_latency);
  EXPECT_EQ(board_.now().dram, 2000 + gpu_.barrier_latency);
  board_.advance_to({10, 10});
  EXPECT_GE(board_.now().l2, 1000) << "time does not run backwards";
}

TEST_F(ScoreboardTest, BarriersOfManyWarpsTakeLonger) {
  board_.advance_to({1000, 1000}, 32);
  EXPECT_EQ(board_.now().l2, 1000 + gpu_.barrier_latency + 2 * (32 - 8));
  board_.reset();
  board_.advance_to({1000, 1000}, 1);
  EXPECT_EQ(board_.now().l2, 1000 + gpu_.barrier_latency - 2 * (8 - 1));
}

// Constants and absent operands are always ready.
TEST_F(ScoreboardTest, ConstantsAreReady) {
  load(0, 9, MemoryLevel::kBeyondL1);
  Instruction in;
  in.d = row(5);
  in.a.bits = Slot::kConstantBank | 64;
  InstructionInfo info;
  info.cost.pipe = Pipe::kAlu;
  board_.issue(in, info, MemoryLevel::kNone, 1);
  EXPECT_LT(board_.now().dram, 10);
}

}  // namespace
}  // namespace roofline::sim
