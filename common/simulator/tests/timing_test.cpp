// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The kernel time model against published measurements, with counters made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "simulator/tests/published.h"
#include "simulator/timing/kernel_model.h"
#include "simulator/timing/scoreboard.h"

namespace roofline::sim {
namespace {

DeviceDescription device(const std::string& id) { return load_device(SIMULATOR_SOURCE "/devices", id); }

using published::pipe;

KernelTime model(const DeviceDescription& gpu, const KernelCounters& counters, u64 blocks, u32 threads,
                 u32 registers = 32, u64 shared = 0) {
  KernelResources resources;
  resources.registers = registers;
  resources.dynamic_shared_bytes = shared;
  return model_kernel(gpu, counters, resources, {static_cast<u32>(blocks), 1, 1}, {threads, 1, 1});
}

double gbps(const KernelCounters& counters, const KernelTime& time) {
  return static_cast<double>(counters.dram_read_bytes + counters.dram_write_bytes) / time.seconds * 1e-9;
}

double bound(const KernelTime& time, const std::string& resource) {
  for (const auto& entry : time.bounds)
    if (entry.resource == resource) return entry.seconds;
  return 0;
}

// Plain saxpy, 4 bytes a thread, comes within 6 % of the copy roof; with 16 bytes a thread it is at the roof.
TEST(Published, PlainCoalescedAccessIsNearTheRoof) {
  const auto gpu = device("a100-sxm4-40gb");
  constexpr u64 kBlocks = 1 << 16;
  const auto plain = published::streaming(gpu, kBlocks * 8, 4, 4);
  EXPECT_GE(gbps(plain, model(gpu, plain, kBlocks, 256)), 0.94 * 1381);
  const auto wide = published::streaming(gpu, kBlocks * 8, 16, 16);
  EXPECT_GE(gbps(wide, model(gpu, wide, kBlocks, 256)), 0.98 * 1381);
}

// Broken by: kernels side by side that each have all of DRAM, however few blocks they are.
TEST(Model, TheShareIsThatOfTheBusiestResource) {
  const auto gpu = device("a100-sxm4-40gb");
  const u64 blocks = gpu.sms;
  const KernelTime stream = model(gpu, published::streaming(gpu, blocks * 8 * 512, 16, 16), blocks, 256);
  EXPECT_GT(stream.share.of[DeviceShare::kDram], 0.9) << "one block on each SM";
  EXPECT_LE(stream.share.of[DeviceShare::kDram], 1);
  EXPECT_LT(stream.share.of[DeviceShare::kIssue], 0.5);
  KernelCounters waits;  // one warp, whose time is its latency
  waits.longest_cycles_dram = waits.longest_cycles_l2 = 1e6;
  for (const double share : model(gpu, waits, 1, 32).share.of) EXPECT_LT(share, 0.01);
}

// Each thread walks a chunk of its own: 32 lines a request, each store a sector of its own. Lab 01 calls this
// too slow: below 0.55 of the copy roof, because L1 and L2 move eight times the bytes, not because DRAM does.
TEST(Model, BlockedAccessIsLimitedByTheCaches) {
  const auto gpu = device("a100-sxm4-40gb");
  constexpr u64 kBlocks = 1024, kWarps = kBlocks * 8, kElements = 64;  // a thread
  KernelCounters counters =
      published::streaming(gpu, kWarps * kElements, 4, 4);  // DRAM bytes as for coalesced access
  counters.global_load_sectors = counters.global_store_sectors = kWarps * kElements * 32;
  counters.l2_write_sectors = kWarps * kElements * 32;
  counters.global_passes = kWarps * kElements * 64;
  counters.global_transfers = kWarps * kElements * 2;
  counters.block_cycles_dram = kElements * (gpu.l1_latency + 40);
  const auto time = model(gpu, counters, kBlocks, 256);
  EXPECT_LT(gbps(counters, time), 0.55 * 1381);
  EXPECT_EQ(time.limiter(), "L1");
}

// 65 536 empty blocks took 40.2 us on an H200, of 32 threads as of 512: not one after the other in their
// places, but as fast as the device starts blocks.
TEST(Model, BlocksStartAtARateOfTheDevice) {
  const auto gpu = device("h200");
  for (const u32 threads : {32U, 512U}) {
    const auto time = model(gpu, KernelCounters(), 65536, threads);
    EXPECT_NEAR(time.seconds * 1e6, 40.2, 1);
    EXPECT_EQ(time.limiter(), "block launch");
  }
}

// The same kernel with a 32-way bank conflict takes 32 times as long in shared memory.
TEST(Model, BankConflictsMultiplySharedTime) {
  const auto gpu = device("a100-sxm4-40gb");
  KernelCounters counters;
  counters.shared_requests = counters.shared_wavefronts = 1 << 24;
  const double clean = model(gpu, counters, 1 << 14, 256).seconds;
  counters.shared_wavefronts *= 32;
  const auto time = model(gpu, counters, 1 << 14, 256);
  EXPECT_NEAR(time.seconds / clean, 32, 1);
  EXPECT_EQ(time.limiter(), "shared");
}

// Shared memory and L1 are one data path: their times add up instead of overlapping.
TEST(Model, SharedMemoryAndL1AddUp) {
  const auto gpu = device("a100-sxm4-40gb");
  KernelCounters counters;
  counters.shared_wavefronts = 1 << 24;
  counters.global_passes = 1 << 24;
  const auto time = model(gpu, counters, 1 << 14, 256);
  counters.global_passes = 0;
  EXPECT_NEAR(time.seconds / model(gpu, counters, 1 << 14, 256).seconds, 2, 0.02);
}

// Where L1 gives 64 bytes a clock, a request without bank conflicts waits for its bytes, and one with 32
// conflicts for its passes: 2 and 32 clocks on an A40, 1 and 32 on an A100 (gpu-strides).
TEST(Model, BankConflictsInL1TakeAClockEach) {
  for (const auto& [id, clocks] : {std::pair{"a10", 2.0}, std::pair{"a100-sxm4-40gb", 1.0}}) {
    const auto gpu = device(id);
    EXPECT_EQ(data_path_clocks(gpu, 1, 1), clocks) << id;
    EXPECT_EQ(data_path_clocks(gpu, 32, 1), 32) << id;
    KernelCounters counters;
    counters.global_passes = counters.global_transfers = 1 << 24;
    const double clean = model(gpu, counters, 1 << 14, 256).seconds;
    counters.global_passes *= 32;
    EXPECT_NEAR(model(gpu, counters, 1 << 14, 256).seconds / clean, 32 / clocks, 0.5) << id;
  }
}

// Three register operands cost a third of the rate where the SM has 128 lanes, nothing where it has 64.
TEST(Model, ThreeRegisterOperands) {
  for (const auto& [id, factor] : {std::pair{"a100-sxm4-40gb", 1.0}, std::pair{"h200", 1.5}}) {
    const auto gpu = device(id);
    KernelCounters counters;
    pipe(counters, Pipe::kFma) = 1 << 26;
    const double literal = model(gpu, counters, 1 << 14, 256).seconds;
    counters.three_register_fma = 1 << 26;
    EXPECT_NEAR(model(gpu, counters, 1 << 14, 256).seconds / literal, factor, 0.01) << id;
  }
}

// Types have rates of their own; mixed kernels add up.
TEST(Model, TensorTypes) {
  const auto gpu = device("a100-sxm4-40gb");
  const auto seconds = [&](std::initializer_list<FlopType> types) {
    KernelCounters counters;
    for (const FlopType type : types) counters.flops[static_cast<size_t>(type)] = u64{1} << 36;
    return model(gpu, counters, u64{gpu.sms} * 128, 256).seconds;
  };
  const double f16 = seconds({FlopType::kTensorF16F32});
  EXPECT_NEAR(seconds({FlopType::kTensorTf32}) / f16, 2, 0.01);
  EXPECT_NEAR(seconds({FlopType::kTensorF64}) / f16, 16, 0.1);
  EXPECT_NEAR(seconds({FlopType::kTensorS8}) / f16, 0.5, 0.01);
  EXPECT_NEAR(seconds({FlopType::kTensorF16F32, FlopType::kTensorTf32}) / f16, 3, 0.02);
  EXPECT_EQ(mma_sync_rate(gpu, FlopType::kTensorF8), 0) << "this card has none";
  EXPECT_EQ(mma_sync_rate(gpu, FlopType::kF32), 0);
}

// A write costs more than a read where L2 has two partitions, and on L40S (gpu-l2-stream).
TEST(Model, L2WritesCostAsMeasured) {
  for (const auto& [id, cost] :
       {std::pair{"a100-sxm4-40gb", 2.0}, std::pair{"l40s", 1.8}, std::pair{"t4", 1.0}}) {
    const auto gpu = device(id);
    KernelCounters counters;
    counters.l2_read_sectors = counters.l2_hit_sectors = 1 << 24;
    const double read = bound(model(gpu, counters, 1 << 14, 256), "L2");
    counters = {};
    counters.l2_write_sectors = 1 << 24;
    EXPECT_NEAR(bound(model(gpu, counters, 1 << 14, 256), "L2") / read, cost, 0.01) << id;
  }
}

// The start of the first block is part of launching; each further round of blocks pays for it.
TEST(Model, BlockStartsBetweenRounds) {
  const auto gpu = device("a100-sxm4-40gb");
  const double clock = gpu.clock_mhz * 1e6;
  KernelCounters counters;
  counters.block_cycles_dram = 1000;
  EXPECT_NEAR(bound(model(gpu, counters, 1, 1024), "latency"), 1000 / clock, 1e-12);
  const u64 places = u64{gpu.sms} * 2;
  EXPECT_NEAR(bound(model(gpu, counters, places + 1, 1024), "latency"),
              (2000 + gpu.block_start_latency) / clock, 1e-12);
}

// One block more than there are SMs: one SM has two, and everybody waits for it.
TEST(Model, TailOfOneBlock) {
  const auto gpu = device("a100-sxm4-40gb");
  const auto seconds = [&](u64 blocks) {
    KernelCounters counters;
    pipe(counters, Pipe::kFma) = blocks << 20;
    return model(gpu, counters, blocks, 1024).seconds;
  };
  EXPECT_NEAR(seconds(109) / seconds(108), 2, 0.01);
  EXPECT_NEAR(seconds(216) / seconds(109), 1, 0.01);
  EXPECT_NEAR(seconds(1) / seconds(108), 1, 0.01) << "one block uses one SM";
}

// A single thread takes its dependency time, whatever the throughput of the device is.
TEST(Model, OneThreadIsItsDependencyTime) {
  const auto gpu = device("a100-sxm4-40gb");
  constexpr u64 kElements = 1 << 20;
  KernelCounters counters = published::streaming(gpu, kElements, 1, 1);
  counters.block_cycles_dram = counters.block_cycles_l2 = static_cast<double>(kElements) * 100;
  const auto time = model(gpu, counters, 1, 1);
  EXPECT_EQ(time.limiter(), "latency");
  EXPECT_NEAR(time.seconds, static_cast<double>(kElements) * 100 / 1410e6, 0.01 * time.seconds);
}

// L2 hits shorten the latency of a block; the two sampled times are the ends of the scale.
TEST(Model, LatencyFollowsTheHitRate) {
  const auto gpu = device("a100-sxm4-40gb");
  KernelCounters counters;
  counters.l2_read_sectors = 1000;
  counters.block_cycles_l2 = 1e6;
  counters.block_cycles_dram = 3e6;
  const double cold = bound(model(gpu, counters, 1, 32), "latency");
  counters.l2_hit_sectors = 500;
  const double half = bound(model(gpu, counters, 1, 32), "latency");
  counters.l2_hit_sectors = 1000;
  const double warm = bound(model(gpu, counters, 1, 32), "latency");
  EXPECT_NEAR(cold / warm, 3, 0.01);
  EXPECT_NEAR(half, (cold + warm) / 2, 1e-9);
}

// Atomics on one address are done one after the other, of floats more slowly; spread out they are not.
TEST(Model, AtomicsOnOneAddressSerialise) {
  const auto gpu = device("a100-sxm4-40gb");
  const double clock = gpu.clock_mhz * 1e6;
  KernelCounters counters;
  counters.atomic_lanes = counters.atomic_sector_words = 1 << 20;
  counters.atomic_met_sectors = 1 << 17;
  counters.atomic_same_address_max = 1;
  const auto atomics = [&] { return bound(model(gpu, counters, 1 << 12, 256), "atomics"); };
  const double spread = atomics();
  counters.atomic_same_address_max = 1 << 20;
  EXPECT_NEAR(atomics(), (1 << 20) / gpu.atomic_same_address_per_clock / clock, 1e-6);
  EXPECT_GT(atomics() / spread, 100);
  counters.atomic_float_lanes = 1 << 20;
  EXPECT_NEAR(atomics(), (1 << 20) / gpu.atomic_float_same_address_per_clock / clock, 1e-6);
}

// What one slice of L2 does takes its turns, and so do lanes of a request that meet.
TEST(Model, AtomicsOfASliceFollowEachOther) {
  const auto gpu = device("h200");
  const double clock = gpu.clock_mhz * 1e6;
  KernelCounters counters;
  counters.atomic_lanes = counters.atomic_sector_words = counters.atomic_met_sectors = 1 << 20;
  const auto atomics = [&] { return bound(model(gpu, counters, 1 << 12, 256), "atomics"); };
  EXPECT_NEAR(atomics(), (1 << 20) / gpu.atomic_sectors_per_clock / clock, 1e-9);
  counters.atomic_slice_turns_max = 1 << 20;
  EXPECT_NEAR(atomics(), (1 << 20) / gpu.atomic_slice_turns_per_clock / clock, 1e-9);
  counters.atomic_slice_turns_max = 0;
  counters.atomic_more_turns = 31 << 20;
  EXPECT_NEAR(atomics(),
              ((1 << 20) / gpu.atomic_sectors_per_clock + (31 << 20) / gpu.atomic_turns_per_clock) / clock,
              1e-9);
}

// No resource may make a kernel faster than its slowest bound; more of anything never makes it faster.
TEST(Model, MoreWorkNeverTakesLessTime) {
  const auto gpu = device("h200");
  auto counters = published::streaming(gpu, 1 << 16, 16, 16);
  double last = model(gpu, counters, 1 << 13, 256).seconds;
  const auto grows = [&](u64& counter) {
    counter += u64{1} << 24;
    const auto time = model(gpu, counters, 1 << 13, 256);
    EXPECT_GE(time.seconds, last);
    for (const auto& entry : time.bounds)
      EXPECT_GE(time.seconds * (1 + 1e-12), entry.seconds) << entry.resource;
    EXPECT_TRUE(std::is_sorted(time.bounds.begin(), time.bounds.end(),
                               [](const auto& a, const auto& b) { return a.seconds > b.seconds; }));
    last = time.seconds;
  };
  for (u64& slots : counters.pipe_warps) grows(slots);
  grows(counters.issue_slots);
  grows(counters.shared_wavefronts);
  grows(counters.global_passes);
  grows(counters.global_transfers);
  grows(counters.l2_write_sectors);
  grows(counters.dram_read_bytes);
  grows(counters.dram_write_bytes);
  grows(counters.shared_loop_passes);
  grows(counters.host_read_bytes);
  grows(counters.host_write_bytes);
  grows(counters.atomic_same_address_max);
  grows(counters.atomic_slice_turns_max);
  grows(counters.atomic_more_turns);
  grows(counters.atomic_more_turns_64);
}

// Every answer of cuda_occupancy.h in the file: 16 random launches a device.
TEST(Occupancy, AgreesWithTheCudaCalculator) {
  std::ifstream cases(SIMULATOR_SOURCE "/tests/occupancy.cases");
  std::string line;
  int count = 0;
  while (std::getline(cases, line)) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    std::string id, equals;
    u32 threads = 0, blocks = 0;
    KernelResources resources;
    ASSERT_TRUE(words >> id >> threads >> resources.registers >> resources.static_shared_bytes >>
                resources.dynamic_shared_bytes >> resources.barriers >> equals >> blocks)
        << line;
    EXPECT_EQ(occupancy(device(id), resources, {threads, 1, 1}, 0).blocks_per_sm, blocks) << line;
    ++count;
  }
  EXPECT_EQ(count, 208);
}

// Breaks when a grid of blocks of which half have nothing to do takes as long as if the recorded one, which
// has, stood for all.
TEST(KernelModel, RecordedBlocksStandForTheAverageBlock) {
  const auto gpu = device("a100-sxm4-40gb");
  test::HandMade warp;
  for (int i = 0; i < 400; ++i) warp.arithmetic(Pipe::kFma);
  BlockRecord record = test::block_of(warp, 8);
  record.issued = 8 * 400;
  KernelResources resources;
  resources.registers = 32;
  const auto seconds = [&](u32 blocks, double average) {
    KernelCounters counters;
    counters.even_warp_instructions = static_cast<u64>(blocks * average);
    return model_kernel(gpu, counters, resources, {blocks, 1, 1}, {256, 1, 1}, {&record, 1}).seconds;
  };
  const u32 many = gpu.sms * 8 * 50, one_round = gpu.sms * 8;
  EXPECT_NEAR(seconds(many, 1600) / seconds(many, 3200), 0.5, 0.02);
  EXPECT_EQ(seconds(one_round, 1600), seconds(one_round, 3200)) << "its busiest SM may have only such blocks";
}

TEST(Occupancy, NamesWhatLimits) {
  const auto gpu = device("a100-sxm4-40gb");
  const auto limiter = [&](u32 threads, u32 registers, u64 shared, u64 grid = 0) {
    KernelResources resources;
    resources.registers = registers;
    resources.dynamic_shared_bytes = shared;
    return occupancy(gpu, resources, {threads, 1, 1}, grid).limiter;
  };
  EXPECT_EQ(limiter(1024, 32, 0), "warps");
  EXPECT_EQ(limiter(32, 16, 0), "blocks");
  EXPECT_EQ(limiter(256, 128, 0), "registers");
  EXPECT_EQ(limiter(256, 32, 48 << 10), "shared memory");
  EXPECT_EQ(limiter(256, 32, 0, 100), "grid");
  const auto full = occupancy(gpu, {.registers = 32}, {256, 1, 1}, 0);
  EXPECT_EQ(full.warps_per_sm, 64u);
  EXPECT_EQ(full.fraction, 1.0);
  EXPECT_EQ(occupancy(gpu, {.registers = 32}, {2048, 1, 1}, 0).blocks_per_sm, 0u);
}

}  // namespace
}  // namespace roofline::sim
