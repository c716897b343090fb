// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The kernel time model against published measurements, with counters made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "simulator/timing/kernel_model.h"
#include "simulator/timing/scoreboard.h"

namespace roofline::sim {
namespace {

DeviceDescription device(const std::string& id) { return load_device(SIMULATOR_SOURCE "/devices", id); }

u64& pipe(KernelCounters& counters, Pipe which) { return counters.pipe_warps[static_cast<size_t>(which)]; }

/// What a streaming kernel counts: every thread loads and stores so many bytes, each warp in one request.
KernelCounters stream(const DeviceDescription& gpu, u64 warps, u64 loaded, u64 stored) {
  KernelCounters counters;
  counters.warp_instructions = warps * 8;
  counters.issue_slots = warps * 8;
  pipe(counters, Pipe::kAlu) = warps * 4;
  pipe(counters, Pipe::kMemory) = warps * ((loaded != 0) + (stored != 0));
  counters.global_load_sectors = counters.l2_read_sectors = counters.l1_miss_sectors = warps * loaded;
  counters.global_store_sectors = counters.l2_write_sectors = warps * stored;
  counters.global_lines = warps * (loaded + stored) / 4;
  counters.dram_read_bytes = warps * loaded * kSectorBytes;
  counters.dram_write_bytes = warps * stored * kSectorBytes;
  const double arithmetic = 8 * gpu.alu_latency;
  counters.block_cycles_l2 = arithmetic + (loaded != 0 ? gpu.l2_latency : 0);
  counters.block_cycles_dram = arithmetic + (loaded != 0 ? gpu.dram_latency : 0);
  return counters;
}

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

// Published for A100-SXM4-40GB: copy 1381, read 1490, write 1503 GB/s. 16 bytes a thread.
TEST(Published, A100Bandwidths) {
  const auto gpu = device("a100-sxm4-40gb");
  constexpr u64 kBlocks = 1 << 16, kWarps = kBlocks * 8;
  const struct {
    u64 loaded, stored;
    double gbps;
  } published[] = {{16, 16, 1381}, {16, 0, 1490}, {0, 16, 1503}};
  for (const auto& point : published) {
    const auto counters = stream(gpu, kWarps, point.loaded, point.stored);
    const auto time = model(gpu, counters, kBlocks, 256);
    EXPECT_NEAR(gbps(counters, time) / point.gbps, 1, 0.03);
    EXPECT_EQ(time.limiter(), "DRAM");
  }
}

// Plain saxpy, 4 bytes a thread, comes within 6 % of the copy roof; with 16 bytes a thread it is at the roof.
TEST(Published, PlainCoalescedAccessIsNearTheRoof) {
  const auto gpu = device("a100-sxm4-40gb");
  constexpr u64 kBlocks = 1 << 16;
  const auto plain = stream(gpu, kBlocks * 8, 4, 4);
  EXPECT_GE(gbps(plain, model(gpu, plain, kBlocks, 256)), 0.94 * 1381);
  const auto wide = stream(gpu, kBlocks * 8, 16, 16);
  EXPECT_GE(gbps(wide, model(gpu, wide, kBlocks, 256)), 0.98 * 1381);
}

// Published A100 FP32 sweep (read, k FMAs, write; 4 bytes each way, four elements a thread here).
TEST(Published, A100IntensitySweep) {
  const auto gpu = device("a100-sxm4-40gb");
  const struct {
    double flop_per_byte, expected;  // TFLOP/s
  } published[] = {{0.25, 0.343}, {10.25, 13.2}, {12.25, 15.2}, {64.25, 19.19}};
  for (const auto& point : published) {
    constexpr u64 kBlocks = 1 << 15, kWarps = kBlocks * 8;
    auto counters = stream(gpu, kWarps, 16, 16);
    const auto fmas = static_cast<u64>(point.flop_per_byte * 8 / 2) * 4;  // a thread
    pipe(counters, Pipe::kFma) = kWarps * fmas;
    counters.issue_slots += kWarps * fmas;
    counters.block_cycles_dram += static_cast<double>(fmas) * gpu.fma_latency / 4;
    const double flops = static_cast<double>(kWarps * fmas * 64);
    EXPECT_NEAR(flops / model(gpu, counters, kBlocks, 256).seconds * 1e-12 / point.expected, 1, 0.03)
        << point.flop_per_byte << " FLOP/B";
  }
}

// A loop of multiplications alone does half of what FMAs do: 9.75 TF of 19.5 on A100 (less its 1.6 %).
TEST(Published, A100MultiplyOnly) {
  const auto gpu = device("a100-sxm4-40gb");
  constexpr u64 kBlocks = 1 << 14, kWarps = kBlocks * 8, kRepeat = 512;
  KernelCounters counters;
  pipe(counters, Pipe::kFma) = counters.issue_slots = kWarps * kRepeat;
  counters.block_cycles_dram = counters.block_cycles_l2 = kRepeat * gpu.fma_latency;
  const double flops = static_cast<double>(kWarps * kRepeat * 32);
  EXPECT_NEAR(flops / model(gpu, counters, kBlocks, 256).seconds * 1e-12, 9.75, 0.25);
}

/// H100 PCIe, which has no device file: the H200's SM with the card's own numbers.
DeviceDescription h100_pcie() {
  auto gpu = device("h200");
  gpu.sms = 114;
  gpu.clock_mhz = 1755;
  gpu.dram_gbps = 2039;
  gpu.dram_copy_efficiency = 1704.0 / 2039;
  gpu.dram_latency = 618;
  gpu.block_start_latency = 450;
  return gpu;
}

// gpu-benches' gpu-stream on H100 PCIe: two blocks an SM (shared memory keeps others out), 8 bytes a thread,
// one element each; GB/s against block size. Bar: no point off by more than 25 %, median at most 15 %. Known
// miss: reads at low occupancy come out 15 % too fast (the card's real latency includes TLB misses).
TEST(Published, H100BandwidthAgainstOccupancy) {
  const auto gpu = h100_pcie();
  const struct {
    u32 threads;
    double init, read, scale;
  } published[] = {{32, 228, 96, 183},      {64, 452, 189, 341},     {128, 888, 368, 607},
                   {256, 1686, 702, 1037},  {384, 2016, 985, 1378},  {512, 2017, 1261, 1583},
                   {640, 2016, 1473, 1639}, {768, 2016, 1680, 1666}, {1024, 2016, 1942, 1704}};
  std::vector<double> errors;
  for (const auto& point : published) {
    const u64 warps_per_block = point.threads / 32, blocks = u64{114} * 2 * 1000;
    const auto check = [&](u64 loaded, u64 stored, double expected) {
      const auto counters = stream(gpu, blocks * warps_per_block, loaded, stored);
      const double got = gbps(counters, model(gpu, counters, blocks, point.threads, 16, 100 << 10));
      errors.push_back(std::abs(got / expected - 1));
      EXPECT_LT(errors.back(), 0.25) << point.threads << " threads, published " << expected << ", model "
                                     << got;
    };
    check(0, 8, point.init);
    check(8, 0, point.read);
    check(8, 8, point.scale);
  }
  std::nth_element(errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.15);
  RecordProperty("median_error_percent", static_cast<int>(100 * errors[errors.size() / 2]));
}

// Held out: nothing in the model was fitted to V100. gpu-benches' cuda-stream there: grid-stride loops over
// doubles, 128 threads a block, `loads` independent loads an iteration, GB/s against the number of blocks.
TEST(HeldOut, V100ReadAgainstBlocks) {
  auto gpu = device("a100-sxm4-40gb");
  gpu.sms = 80;
  gpu.clock_mhz = 1380;
  gpu.dram_gbps = 898;
  gpu.dram_read_efficiency = 0.99;
  gpu.l2_gbps = 2540;      // the same README, cuda-cache
  gpu.dram_latency = 436;  // the same README, cuda-latency
  gpu.fp64_latency = 8;    // the same README, cuda-incore
  const struct {
    u64 loads, blocks;
    double gbps;
  } published[] = {{1, 1, 3.0},     {1, 16, 46.8},   {1, 80, 227.6},   {1, 160, 418.6},
                   {1, 320, 680.6}, {1, 640, 833.5}, {1, 1280, 878.9}, {2, 80, 404.7},
                   {2, 160, 663.8}, {2, 640, 879.5}, {4, 16, 158.6},   {4, 80, 629.1},
                   {4, 160, 823.7}, {4, 640, 883.9}, {8, 80, 800.1},   {8, 160, 874.8}};
  std::vector<double> errors;
  for (const auto& point : published) {
    constexpr u64 kIterations = 1 << 12;
    auto counters = stream(gpu, point.blocks * 4 * kIterations, 8 * point.loads, 0);
    const double adds = static_cast<double>(point.loads) * gpu.fp64_latency;
    const double loop = 2 * gpu.alu_latency + gpu.control_latency;
    counters.block_cycles_dram = kIterations * (gpu.dram_latency + adds + loop);
    const double got = gbps(counters, model(gpu, counters, point.blocks, 128));
    errors.push_back(std::abs(got / point.gbps - 1));
    EXPECT_LT(errors.back(), 0.25) << point.loads << " loads, " << point.blocks << " blocks: model " << got;
    RecordProperty(std::to_string(point.loads) + "x" + std::to_string(point.blocks), static_cast<int>(got));
  }
  std::nth_element(errors.begin(), errors.begin() + static_cast<long>(errors.size() / 2), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 0.10);
}

// Each thread walks a chunk of its own: 32 lines a request, each store a sector of its own. Lab 01 calls this
// too slow: below 0.55 of the copy roof, because L1 and L2 move eight times the bytes, not because DRAM does.
TEST(Model, BlockedAccessIsLimitedByTheCaches) {
  const auto gpu = device("a100-sxm4-40gb");
  constexpr u64 kBlocks = 1024, kWarps = kBlocks * 8, kElements = 64;  // a thread
  KernelCounters counters = stream(gpu, kWarps * kElements, 4, 4);     // DRAM bytes as for coalesced access
  counters.global_load_sectors = counters.global_store_sectors = kWarps * kElements * 32;
  counters.l2_write_sectors = kWarps * kElements * 32;
  counters.global_lines = kWarps * kElements * 64;
  counters.block_cycles_dram = kElements * (gpu.l1_latency + 40);
  const auto time = model(gpu, counters, kBlocks, 256);
  EXPECT_LT(gbps(counters, time), 0.55 * 1381);
  EXPECT_EQ(time.limiter(), "L1");
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
  counters.global_lines = 1 << 24;
  const auto time = model(gpu, counters, 1 << 14, 256);
  counters.global_lines = 0;
  EXPECT_NEAR(time.seconds / model(gpu, counters, 1 << 14, 256).seconds, 2, 0.02);
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

// Tensor peak: 312 TF dense on A100; mma.sync on H200 reaches 62.9 % of 989.
TEST(Published, TensorRates) {
  for (const auto& [id, teraflops] : {std::pair{"a100-sxm4-40gb", 312.0}, std::pair{"h200", 0.629 * 989}}) {
    const auto gpu = device(id);
    KernelCounters counters;
    constexpr u64 kInstructions = 1 << 24;
    counters.flops[static_cast<size_t>(FlopType::kTensorF16F32)] = kInstructions * 4096;
    EXPECT_NEAR(kInstructions * 4096 / model(gpu, counters, 1 << 14, 256).seconds * 1e-12 / teraflops, 1,
                0.02)
        << id;
  }
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
  KernelCounters counters = stream(gpu, kElements, 1, 1);
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

// Atomics on one address are done one after the other; spread out they are not.
TEST(Model, AtomicsOnOneAddressSerialise) {
  const auto gpu = device("a100-sxm4-40gb");
  KernelCounters counters;
  counters.atomic_lanes = 1 << 20;
  counters.atomic_same_address_max = 1;
  const double spread = bound(model(gpu, counters, 1 << 12, 256), "atomics");
  counters.atomic_same_address_max = 1 << 20;
  const double one = bound(model(gpu, counters, 1 << 12, 256), "atomics");
  EXPECT_NEAR(one, (1 << 20) / 1410e6, 1e-6);
  EXPECT_GT(one / spread, 100);
}

// No resource may make a kernel faster than its slowest bound; more of anything never makes it faster.
TEST(Model, MoreWorkNeverTakesLessTime) {
  const auto gpu = device("h200");
  auto counters = stream(gpu, 1 << 16, 16, 16);
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
  grows(counters.global_lines);
  grows(counters.l2_write_sectors);
  grows(counters.dram_read_bytes);
  grows(counters.dram_write_bytes);
  grows(counters.atomic_lanes);
}

// Every answer of cuda_occupancy.h in the file: 181 launches on three devices.
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
  EXPECT_EQ(count, 181);
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
