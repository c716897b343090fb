// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_fixture.h"
#include "simulator/text.h"

/// What accesses cost (sectors, lines, wavefronts) and how wrong ones are reported.
namespace roofline::sim {
namespace {

class Counting : public KernelTest {
 protected:
  /// Counters of one warp that loads an f32 at %rd1 + offset, where `offset` computes %rd4 from %r1.
  KernelCounters load(const std::string& offset, const std::string& type = "f32",
                      const std::string& reg = "%f1") {
    if (buffer_ == 0) buffer_ = device_.allocate(1 << 20, "buffer");
    return run_well(offset + "\nadd.s64 %rd5, %rd1, %rd4;\nld.global." + type + " " + reg + ", [%rd5];",
                    buffer_)
        .counters;
  }
  /// Counters of one warp that loads from shared memory at the offset that `offset` computes in %r4.
  KernelCounters load_shared(const std::string& offset, const std::string& type = "f32",
                             const std::string& reg = "%f1", const std::string& opcode = "ld") {
    return run_well("mov.u32 %r3, s;\n" + offset + "\nadd.u32 %r5, %r3, %r4;\n" + opcode + ".shared." + type +
                        " " + (opcode == "ld" ? reg + ", [%r5];" : "[%r5], " + reg + ";"),
                    0, 0, 32, 1, ".shared .align 16 .b8 s[16384];")
        .counters;
  }
  u64 buffer_ = 0;
};

// Breaks when coalescing is not seen: 32 neighbouring words are four sectors of one line.
TEST_F(Counting, UnitStrideLoad) {
  const KernelCounters c = load("mul.wide.u32 %rd4, %r1, 4;");
  EXPECT_EQ(c.global_load_requests, 1u);
  EXPECT_EQ(c.global_load_bytes, 128u);
  EXPECT_EQ(c.global_load_sectors, 4u);
  EXPECT_EQ(c.ideal_sectors, 4u);
  EXPECT_EQ(c.global_lines, 1u);
  EXPECT_EQ(c.l1_miss_sectors, 4u);
  EXPECT_EQ(c.l1_hit_sectors, 0u);
  EXPECT_EQ(c.dram_read_bytes, 128u);
}

// Breaks when a misaligned warp is counted as an aligned one.
TEST_F(Counting, MisalignedUnitStrideLoadTouchesOneSectorMore) {
  const KernelCounters c = load("mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd4, 4;");
  EXPECT_EQ(c.global_load_sectors, 5u);
  EXPECT_EQ(c.ideal_sectors, 4u);
  EXPECT_EQ(c.global_lines, 2u);
}

// Breaks when strides are not turned into sectors: stride 2 is half wasted, stride 8 and more fully.
TEST_F(Counting, StridedLoads) {
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 8;").global_load_sectors, 8u);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 32;").global_load_sectors, 32u);
  const KernelCounters c = load("mul.wide.u32 %rd4, %r1, 4096;");
  EXPECT_EQ(c.global_load_sectors, 32u);
  EXPECT_EQ(c.ideal_sectors, 4u);
  EXPECT_EQ(c.global_lines, 32u);
}

// Breaks when L1 is charged otherwise than an H100 and an H200 charge it: bank conflicts as in shared memory,
// and four lines a pass. Measured there, in clocks: 1.1, 2.0, 1.2, 8.0, 32.0, 8.7 for strides of 1, 2, 3, 8,
// 32 and 33 words, 2.0 and 2.1 for 8 bytes a lane at strides of 1 and 3.
TEST_F(Counting, PassesOfL1) {
  const auto words = [&](int stride) {
    return load("mul.wide.u32 %rd4, %r1, " + std::to_string(4 * stride) + ";").global_passes;
  };
  EXPECT_EQ(words(1), 1U);
  EXPECT_EQ(words(2), 2U);
  EXPECT_EQ(words(3), 1U);
  EXPECT_EQ(words(8), 8U);
  EXPECT_EQ(words(32), 32U);
  EXPECT_EQ(words(33), 8U);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd4, 4;").global_passes, 1U);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 8;", "f64", "%fd1").global_passes, 2U);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 24;", "f64", "%fd1").global_passes, 2U);
  EXPECT_EQ(load("mov.u64 %rd4, 0;").global_passes, 1U);
}

// Breaks when what L1 hands to the lanes depends on where it lies: 128 bytes for each 32 lanes of 4 bytes, 16
// of 8, 8 of 16, with bank conflicts as without. An A40, which hands over 64 bytes a clock, takes 2 clocks
// for strides of 0, 1 and 2 words, and 8 and 32 for strides of 8 and 32 (gpu-strides).
TEST_F(Counting, TransfersOfL1) {
  for (const int stride : {0, 1, 2, 8, 32})
    EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, " + std::to_string(4 * stride) + ";").global_transfers, 1U);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 8;", "f64", "%fd1").global_transfers, 2U);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 64;", "f64", "%fd1").global_transfers, 2U);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 16;", "v4.f32", "{%f1, %f2, %f3, %f4}").global_transfers, 4U);
}

// Breaks when lanes that share a sector are counted twice, in any order.
TEST_F(Counting, SharedSectorsCountOnce) {
  EXPECT_EQ(load("mov.u64 %rd4, 64;").global_load_sectors, 1u);
  EXPECT_EQ(load("mov.u64 %rd4, 64;").ideal_sectors, 1u);
  EXPECT_EQ(load("sub.u32 %r2, 31, %r1; mul.wide.u32 %rd4, %r2, 4;").global_load_sectors, 4u);
  // Lanes l and l ^ 16 exchange places; then a permutation by an odd factor.
  EXPECT_EQ(load("xor.b32 %r2, %r1, 16; mul.wide.u32 %rd4, %r2, 4;").global_load_sectors, 4u);
  EXPECT_EQ(load("mul.lo.u32 %r2, %r1, 13; and.b32 %r2, %r2, 31; mul.wide.u32 %rd4, %r2, 4;").global_lines,
            1u);
  // 16 lines, each named by two lanes far apart.
  EXPECT_EQ(load("and.b32 %r2, %r1, 15; mul.wide.u32 %rd4, %r2, 128;").global_load_sectors, 16u);
}

// Breaks when narrow and wide elements are not counted by their bytes.
TEST_F(Counting, OtherWidths) {
  EXPECT_EQ(load("cvt.u64.u32 %rd4, %r1;", "u8", "%r2").global_load_sectors, 1u);
  EXPECT_EQ(load("mul.wide.u32 %rd4, %r1, 8;", "f64", "%fd1").global_load_sectors, 8u);
  const KernelCounters c = load("mul.wide.u32 %rd4, %r1, 16;", "v4.f32", "{%f1, %f2, %f3, %f4}");
  EXPECT_EQ(c.global_load_sectors, 16u);
  EXPECT_EQ(c.global_load_bytes, 512u);
  EXPECT_EQ(c.global_load_requests, 1u);
}

// Breaks when inactive lanes are counted.
TEST_F(Counting, PartialWarp) {
  const u64 buffer = device_.allocate(1 << 16, "");
  const KernelCounters c =
      run_well("mul.wide.u32 %rd4, %r1, 128; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];", buffer, 0,
               5)
          .counters;
  EXPECT_EQ(c.global_load_sectors, 5u);
  EXPECT_EQ(c.global_load_bytes, 20u);
  EXPECT_EQ(c.ideal_sectors, 1u);
}

// Breaks when L1 does not keep what was loaded, or serves what must bypass it.
TEST_F(Counting, SecondLoadHitsL1) {
  const u64 buffer = device_.allocate(1 << 16, "");
  const std::string address = "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4;";
  const KernelCounters twice =
      run_well(address + "ld.global.f32 %f1, [%rd5]; ld.global.f32 %f2, [%rd5];", buffer).counters;
  EXPECT_EQ(twice.l1_hit_sectors, 4u);
  EXPECT_EQ(twice.l2_read_sectors, 4u);
  const KernelCounters past =
      run_well(address + "ld.global.f32 %f1, [%rd5]; ld.global.cg.f32 %f2, [%rd5];", buffer).counters;
  EXPECT_EQ(past.l1_hit_sectors, 0u);
  EXPECT_EQ(past.l2_read_sectors, 8u);
  EXPECT_EQ(past.dram_read_bytes, 0u) << "the first kernel brought the line into L2";
}

// Breaks when stores are counted as loads, or do not reach L2.
TEST_F(Counting, Stores) {
  const u64 buffer = device_.allocate(1 << 16, "");
  const KernelCounters c =
      run_well("mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r1;", buffer)
          .counters;
  EXPECT_EQ(c.global_store_requests, 1u);
  EXPECT_EQ(c.global_store_bytes, 128u);
  EXPECT_EQ(c.global_store_sectors, 4u);
  EXPECT_EQ(c.l2_write_sectors, 4u);
  EXPECT_EQ(c.global_load_requests, 0u);
  EXPECT_EQ(c.dram_write_bytes, 128u);
}

// Breaks when local memory is not interleaved by lane, as on hardware: one word a lane is one line.
TEST_F(Counting, LocalMemoryIsCoalesced) {
  const KernelCounters c = run_well(
                               "{ .local .align 4 .b8 a[64]; .reg .b64 %q<3>; mov.u64 %q1, a; st.local.u32 "
                               "[%q1], %r1; ld.local.u32 %r2, [%q1];\n"
                               "mul.wide.u32 %rd3, %r1, 4; and.b64 %rd3, %rd3, 63; add.s64 %q2, %q1, %rd3; "
                               "ld.local.u32 %r3, [%q2]; }")
                               .counters;
  EXPECT_EQ(c.local_requests, 3u);
  EXPECT_EQ(c.local_sectors, 4u + 4u + 32u)
      << "an index that differs by lane touches a line each of 16 words, twice over";
  EXPECT_EQ(c.global_load_requests, 0u);
}

// Breaks when a textbook conflict is not counted as the textbook says.
TEST_F(Counting, BankConflicts) {
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 2;").shared_wavefronts, 1u);       // one word a bank
  EXPECT_EQ(load_shared("mov.u32 %r4, 64;").shared_wavefronts, 1u);           // broadcast
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 3;").shared_wavefronts, 2u);       // stride 2
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 7;").shared_wavefronts, 32u);      // column of a 32-wide tile
  EXPECT_EQ(load_shared("mul.lo.u32 %r4, %r1, 132;").shared_wavefronts, 1u);  // the padded column
  EXPECT_EQ(load_shared("mul.lo.u32 %r4, %r1, 12;").shared_wavefronts, 1u);   // odd stride
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 6;").shared_wavefronts, 16u);      // stride 16
  const KernelCounters c = load_shared("shl.b32 %r4, %r1, 7;");
  EXPECT_EQ(c.shared_requests, 1u);
  EXPECT_EQ(c.ideal_shared_wavefronts, 1u);
}

// Breaks when stores or narrow elements follow other rules: bytes of one word share it.
TEST_F(Counting, BankConflictsOfStoresAndBytes) {
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 7;", "u32", "%r1", "st").shared_wavefronts, 32u);
  EXPECT_EQ(load_shared("mov.u32 %r4, %r1;", "u8", "%r2").shared_wavefronts, 1u);
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 1;", "u16", "%rs1").shared_wavefronts, 1u);
}

// Breaks when wide accesses are not split into half and quarter warps.
TEST_F(Counting, BankConflictsOfWideElements) {
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 3;", "f64", "%fd1").shared_wavefronts, 2u);
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 3;", "f64", "%fd1").ideal_shared_wavefronts, 2u);
  EXPECT_EQ(load_shared("mov.u32 %r4, 8;", "f64", "%fd1").shared_wavefronts, 1u);
  const std::string v4 = "{%f1, %f2, %f3, %f4}";
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 4;", "v4.f32", v4).shared_wavefronts, 4u);
  EXPECT_EQ(load_shared("shl.b32 %r4, %r1, 5;", "v4.f32", v4).shared_wavefronts, 8u);
  EXPECT_EQ(load_shared("mov.u32 %r4, 32;", "v4.f32", v4).shared_wavefronts, 2u);
}

// Breaks when counters belong to the wrong instruction.
TEST_F(Counting, CountersPerInstruction) {
  const u64 buffer = device_.allocate(1 << 16, "");
  const LaunchResult result = run_well(
      "mul.wide.u32 %rd4, %r1, 128; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5]; st.global.f32 "
      "[%rd1], %f1;",
      buffer);
  u64 load_sectors = 0, store_sectors = 0, total = 0;
  ASSERT_FALSE(result.counters.per_instruction.empty());
  for (const InstructionCounters& c : result.counters.per_instruction) {
    total += c.sectors;
    if (c.sectors == 32) load_sectors = c.sectors;
    if (c.sectors == 1) store_sectors = c.sectors;
  }
  EXPECT_EQ(load_sectors, 32u);
  EXPECT_EQ(store_sectors, 1u);
  EXPECT_EQ(total, 33u);
}

class Trapping : public KernelTest {
 protected:
  /// The kernel must trap with this kind, and its message must contain every one of the words.
  void expect_trap(const LaunchResult& result, TrapKind kind, const std::vector<std::string>& words) {
    ASSERT_TRUE(result.trap);
    EXPECT_EQ(result.trap->kind, kind) << result.trap->message;
    for (const std::string& word : words)
      EXPECT_NE(result.trap->message.find(word), std::string::npos)
          << word << "\nin: " << result.trap->message;
  }
};

// Breaks when an overrun by one element passes, or the message does not name access, place and allocation.
TEST_F(Trapping, OneElementPastTheEnd) {
  const u64 a = device_.allocate(31 * 4, "cudaMalloc at saxpy.cu:12");
  const LaunchResult result =
      run("mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r1;", a);
  expect_trap(result, TrapKind::kIllegalAddress,
              {"4-byte store to " + hex(a + 124) + ": just past the end of the 124-byte allocation at " +
                   hex(a) + " (cudaMalloc at saxpy.cu:12)",
               "kernel 'k'", "block (0,0,0)", "thread (31,0,0)", "st.global.u32"});
  EXPECT_EQ(result.trap->thread.x, 31u);
  EXPECT_GT(result.trap->ptx_line, 0u);
}

// Breaks when the classic mistakes are not told apart.
TEST_F(Trapping, NamesTheMistake) {
  expect_trap(run("ld.global.f32 %f1, [%rd1];", 0), TrapKind::kIllegalAddress,
              {"4-byte load from 0x0: a null pointer"});
  expect_trap(run("ld.global.f32 %f1, [%rd1+40];", 0), TrapKind::kIllegalAddress,
              {"40 bytes past a null pointer"});
  int on_host = 0;
  expect_trap(run("ld.global.f32 %f1, [%rd1];", reinterpret_cast<u64>(&on_host)), TrapKind::kIllegalAddress,
              {"a host address"});
  const u64 a = device_.allocate(256, "x");
  expect_trap(run("ld.global.f32 %f1, [%rd1+2];", a), TrapKind::kMisalignedAddress,
              {"misaligned, the address is 2 bytes past a multiple of 4"});
  expect_trap(run("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1+8];", a), TrapKind::kMisalignedAddress,
              {"16-byte load", "8 bytes past a multiple of 16"});
  EXPECT_TRUE(device_.release(a));
  expect_trap(run("ld.global.f32 %f1, [%rd1+8];", a), TrapKind::kIllegalAddress,
              {"8 bytes into a 256-byte allocation", "that was freed"});
  expect_trap(run("mov.u64 %rd3, s; cvta.shared.u64 %rd4, %rd3; ld.global.u32 %r2, [%rd4];", 0, 0, 1, 1,
                  ".shared .align 4 .b8 s[8];"),
              TrapKind::kIllegalAddress, {"a shared-memory address"});
}

// Breaks when shared memory has no bounds, or its size is not named.
TEST_F(Trapping, SharedBounds) {
  const std::string outside = ".shared .align 4 .b8 s[128];";
  expect_trap(run("mov.u32 %r2, s; shl.b32 %r3, %r1, 2; add.u32 %r4, %r2, %r3; st.shared.u32 [%r4+4], %r1;",
                  0, 0, 32, 1, outside),
              TrapKind::kIllegalAddress,
              {"4-byte store to shared address 0x80: just past the 128 bytes of the block's shared memory"});
  expect_trap(run("mov.u32 %r2, s; ld.shared.u32 %r3, [%r2-4];", 0, 0, 1, 1, outside),
              TrapKind::kIllegalAddress, {"shared address"});
  expect_trap(run("mov.u32 %r2, s; ld.shared.u32 %r3, [%r2+2];", 0, 0, 1, 1, outside),
              TrapKind::kMisalignedAddress, {"shared address 0x2"});
}

// Breaks when local memory has no bounds.
TEST_F(Trapping, LocalBounds) {
  expect_trap(run("{ .local .align 4 .b8 a[16]; .reg .b64 %q<3>; mov.u64 %q1, a; add.s64 %q2, %q1, 1048576; "
                  "ld.local.u32 %r2, [%q2]; }"),
              TrapKind::kIllegalAddress, {"local address", "the thread's local memory"});
}

// Breaks when code cannot tell these faults apart without reading the message, in which names of the program
// occur, too.
TEST_F(Trapping, TheFaultOfAnAddressIsAField) {
  const u64 a = device_.allocate(256, "freed by nobody");
  const auto fault = [&](const char* body, u64 address) {
    const LaunchResult result = run(body, address);
    return result.trap ? result.trap->address : AddressFault::kWrongObject;
  };
  EXPECT_EQ(fault("ld.global.f32 %f1, [%rd1+256];", a), AddressFault::kPastEnd);
  EXPECT_EQ(fault("ld.global.v2.f32 {%f1, %f2}, [%rd1+300];", a), AddressFault::kOther) << "misaligned";
  EXPECT_EQ(fault("ld.global.f32 %f1, [%rd1-4];", a), AddressFault::kOther);
  EXPECT_EQ(fault("ld.global.f32 %f1, [%rd1];", 0), AddressFault::kOther);
  EXPECT_TRUE(device_.release(a));
  EXPECT_EQ(fault("ld.global.f32 %f1, [%rd1+8];", a), AddressFault::kFreed);
}

// Breaks when any memory can be read as constants, which cost nothing.
TEST_F(Trapping, OnlyConstantsAreLoadedAsConstants) {
  const u64 memory = upload(std::vector<u32>(64));
  for (const std::string stride : {"4", "0"}) {
    const LaunchResult result =
        run("mul.wide.u32 %rd3, %r1, " + stride + "; add.s64 %rd4, %rd1, %rd3; ld.const.u32 %r2, [%rd4];" +
                store("%r2"),
            memory);
    ASSERT_TRUE(result.trap) << stride;
    EXPECT_NE(result.trap->message.find("this is no __constant__ variable"), std::string::npos)
        << result.trap->message;
  }
}

// Breaks when a module has more constants than the hardware.
TEST_F(Trapping, ConstantsHaveTheirLimit) {
  const std::string body = "ld.const.u32 %r2, [c]; st.global.u32 [%rd1], %r2;";
  const u64 memory = upload(std::vector<u32>(64));
  run_well(body, memory, 0, 1, 1, ".const .align 4 .b8 c[65536];");
  try {
    run(body, memory, 0, 1, 1, ".const .align 4 .b8 c[65536];\n.const .align 4 .b8 d[4];");
    FAIL() << "65540 bytes of constants";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("constant memory has 65536 bytes"), std::string::npos)
        << error.what();
  }
}

// Breaks when a kernel can change constants.
TEST_F(Trapping, ConstantsAreReadOnly) {
  expect_trap(run("mov.u64 %rd3, c; cvta.const.u64 %rd4, %rd3; st.u32 [%rd4], %r1;", 0, 0, 1, 1,
                  ".const .align 4 .u32 c[4];"),
              TrapKind::kIllegalAddress, {"constant memory, which a kernel can only read"});
}

// Breaks when the lane that is named is not the one at fault, or neighbouring allocations hide the overrun.
TEST_F(Trapping, NamesTheLaneAtFault) {
  const u64 a = device_.allocate(4096, "first"), b = device_.allocate(4096, "second");
  ASSERT_GT(b, a);
  const LaunchResult result =
      run("mul.wide.u32 %rd3, %r1, 4; add.s64 %rd4, %rd1, %rd3; setp.eq.u32 %p1, %r1, 9; @%p1 add.s64 %rd4, "
          "%rd4, 4096; ld.global.u32 %r2, [%rd4];",
          a, 0, 32);
  expect_trap(result, TrapKind::kIllegalAddress,
              {"36 bytes past the end of the 4096-byte allocation", "(first)"});
  EXPECT_EQ(result.trap->thread.x, 9u);
}

// Breaks when lanes in different allocations are taken for an error.
TEST_F(Trapping, LanesInSeveralAllocationsAreFine) {
  const u64 a = upload(std::vector<u32>(32, 1)), b = upload(std::vector<u32>(32, 2));
  const u64 out = upload(std::vector<u32>(32));
  std::vector<u64> pointers(32);
  for (std::size_t l = 0; l < 32; ++l) pointers[l] = (l % 2 == 0 ? a : b) + 4 * l;
  run_well(
      R"(mul.wide.u32 %rd3, %r1, 8; add.s64 %rd4, %rd1, %rd3; ld.global.u64 %rd5, [%rd4]; ld.global.u32 %r2, [%rd5];
              mul.wide.u32 %rd6, %r1, 4; add.s64 %rd7, %rd2, %rd6; st.global.u32 [%rd7], %r2;)",
      upload(pointers), out);
  const std::vector<u32> got = download<u32>(out, 32);
  for (u32 l = 0; l < 32; ++l) EXPECT_EQ(got[l], 1 + l % 2);
}

}  // namespace
}  // namespace roofline::sim
