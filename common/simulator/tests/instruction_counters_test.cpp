// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "kernel_fixture.h"

/// What is counted for each instruction beyond how often it ran, and the record of one thread.
namespace roofline::sim {
namespace {

class OfInstruction : public KernelTest {
 protected:
  /// Counters of the instruction that contains `text`.
  InstructionCounters count(const std::string& body, const std::string& text, u32 threads = 32,
                            const std::string& outside = "") {
    if (buffer_ == 0) buffer_ = device_.allocate(1 << 20, "buffer");
    const LaunchResult result = run_well(body, buffer_, buffer_, threads, 1, outside);
    const auto& info = device_.instructions_of(functions_++);
    for (size_t i = 0; i < info.size(); ++i)
      if (info[i].text.find(text) != std::string::npos) return result.counters.per_instruction[i];
    ADD_FAILURE() << "no instruction " << text;
    return {};
  }
  InstructionCounters load(const std::string& offset) {
    return count(offset + "\nadd.s64 %rd5, %rd1, %rd4;\nld.global.f32 %f1, [%rd5];", "ld.global");
  }
  u64 buffer_ = 0;
  FunctionId functions_ = 0;
};

// Breaks when the distance between neighbouring lanes is not the one that most of them have.
TEST_F(OfInstruction, StrideOfWastefulRequests) {
  InstructionCounters c = load("mul.wide.u32 %rd4, %r1, 128;");
  EXPECT_EQ(c.requests, 1u);
  EXPECT_EQ(c.sectors, 32u);
  EXPECT_EQ(c.ideal_sectors, 4u);
  EXPECT_EQ(c.stride_low, 128);
  EXPECT_EQ(c.stride_high, 128);
  EXPECT_EQ(c.irregular, 0u);
  c = load("sub.u32 %r2, 31, %r1; mul.wide.u32 %rd4, %r2, 64;");
  EXPECT_EQ(c.stride_low, -64);
  // Rows of 16 lanes: most neighbours are 4 bytes apart, one pair is not.
  c = load(
      "shr.u32 %r2, %r1, 4; mul.lo.u32 %r2, %r2, 1020; and.b32 %r3, %r1, 15; add.u32 %r2, %r2, %r3;"
      "mad.lo.u32 %r2, %r2, 8, 0; cvt.u64.u32 %rd4, %r2;");
  EXPECT_EQ(c.stride_low, 8);
  EXPECT_EQ(c.stride_high, 8);
}

TEST_F(OfInstruction, NoStrideWithoutWasteOrOrder) {
  InstructionCounters c = load("mul.wide.u32 %rd4, %r1, 4;");
  EXPECT_GT(c.stride_low, c.stride_high);
  c = load(
      "mul.lo.u32 %r2, %r1, %r1; mul.lo.u32 %r2, %r2, 76; and.b32 %r2, %r2, 65532; cvt.u64.u32 %rd4, %r2;");
  EXPECT_EQ(c.irregular, 1u);
}

// Breaks when a second read of the same line is not a hit of the instruction that made it.
TEST_F(OfInstruction, CacheHits) {
  const std::string body =
      "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];"
      "ld.global.f32 %f2, [%rd5+0]; ld.global.cg.f32 %f3, [%rd5];";
  EXPECT_EQ(count(body, "%f1,").l1_hit_sectors, 0u);
  EXPECT_EQ(count(body, "%f2,").l1_hit_sectors, 4u);
  const InstructionCounters beyond = count(body, "%f3,");
  EXPECT_EQ(beyond.l1_hit_sectors, 0u);
  EXPECT_EQ(beyond.l2_read_sectors, 4u);
  EXPECT_EQ(beyond.l2_hit_sectors, 4u);
}

// Breaks when a half is widened by another pipe than HADD2.F32 uses, which is what ptxas makes of it (opcode
// 0x30 of the cubins for sm_75, sm_80 and sm_90); the way back is a conversion.
TEST_F(OfInstruction, HalvesAreWidenedByTheHalfPipe) {
  if (buffer_ == 0) buffer_ = device_.allocate(1 << 20, "buffer");
  const auto slots = [&](const std::string& body, Pipe pipe) {
    return run_well("{ .reg .b16 %h<3>; mov.b16 %h1, 0x3c00; mov.f32 %f2, 0f3f800000;" + body +
                        "st.global.f32 [%rd1], %f1; st.global.b16 [%rd1+4], %h2; }",
                    buffer_, buffer_, 32, 1)
        .counters.pipe_warps[static_cast<std::size_t>(pipe)];
  };
  EXPECT_EQ(slots("cvt.f32.f16 %f1, %h1;", Pipe::kHalf), 1u);
  EXPECT_EQ(slots("cvt.f32.f16 %f1, %h1;", Pipe::kSfu), 0u);
  EXPECT_EQ(slots("cvt.rn.f16.f32 %h2, %f2;", Pipe::kSfu), 1u);
}

TEST_F(OfInstruction, DivergentBranchesAndAtomics) {
  const InstructionCounters branch = count(
      "setp.lt.u32 %p1, %r1, 7; @%p1 bra L; add.u32 %r2, %r1, 1; L: add.u32 "
      "%r3, %r1, 2; st.global.u32 [%rd1], %r3;",
      "bra", 64);
  EXPECT_EQ(branch.warps, 2u);
  EXPECT_EQ(branch.divergent, 1u);
  const InstructionCounters same = count("red.global.add.f32 [%rd1], 0f3F800000;", "red");
  EXPECT_EQ(same.atomic_turns, 32u);
  const InstructionCounters one_lane = count("red.global.add.u32 [%rd1], 1;", "red");
  EXPECT_EQ(one_lane.atomic_turns, 1u);
  const InstructionCounters pairs = count(
      "shr.u32 %r2, %r1, 1; mul.wide.u32 %rd4, %r2, 4; add.s64 %rd5, %rd1, %rd4;"
      "red.global.add.u32 [%rd5], 1;",
      "red");
  EXPECT_EQ(pairs.atomic_turns, 2u);
}

TEST_F(OfInstruction, LocalMemoryIsNotGlobalMemory) {
  const InstructionCounters c = count(
      ".local .align 4 .b8 a[64];\nmov.u64 %rd4, a; and.b32 %r2, %r1, 3; mul.wide.u32 %rd5, %r2, 4;"
      "add.s64 %rd6, %rd4, %rd5; st.local.u32 [%rd6], %r1; ld.local.u32 %r3, [%rd6]; st.global.u32 [%rd1], "
      "%r3;",
      "st.local");
  EXPECT_EQ(c.local_requests, 1u);
  EXPECT_GT(c.local_sectors, 0u);
  EXPECT_EQ(c.sectors, 0u);
}

// Breaks when a warp that works alone looks like an even share.
TEST_F(OfInstruction, BalanceOfWarps) {
  const std::string body =
      "setp.ge.u32 %p1, %r1, 32; @%p1 ret; mov.u32 %r2, 0;\n"
      "L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100; @%p2 bra L;";
  const KernelCounters c = run_well(body, 0, 0, 128).counters;
  EXPECT_GT(c.busiest_warp_instructions, 3 * c.even_warp_instructions);
}

// ---- one thread ----

class Followed : public KernelTest {
 protected:
  ThreadRecord follow(const std::string& body, u32 block, u32 thread, u32 launch = 1) {
    ThreadRequest request;
    request.block.x = block;
    request.thread.x = thread;
    request.launch = launch;
    device_.follow(request);
    const u64 buffer = device_.allocate(4096, "buffer");
    run_well(body, buffer, buffer, 64, 2);
    return device_.followed();
  }
  static u64 value(const ThreadRecord& record, const std::string& instruction, const std::string& name,
                   bool written) {
    for (const auto& step : record.steps)
      for (const auto& v : step.values)
        if (record.instructions[step.instruction].text.find(instruction) != std::string::npos &&
            record.registers[v.name].name == name && v.written == written)
          return v.low;
    ADD_FAILURE() << "no value of " << name << " at " << instruction;
    return 0;
  }
};

// Breaks when values are another lane's, or those of the wrong moment.
TEST_F(Followed, ValuesBeforeAndAfter) {
  const ThreadRecord record = follow(
      "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; add.u32 %r3, %r3, 1; mul.wide.u32 %rd4, %r3, 4;"
      "add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5+8], %r3;",
      1, 37);
  ASSERT_TRUE(record.found);
  EXPECT_EQ(record.block.x, 1u);
  EXPECT_EQ(value(record, "mad.lo", "%r1", false), 37u);
  EXPECT_EQ(value(record, "mad.lo", "%r3", true), 101u);
  EXPECT_EQ(value(record, "add.u32", "%r3", false), 101u);
  EXPECT_EQ(value(record, "add.u32", "%r3", true), 102u);
  const auto store =
      std::find_if(record.steps.begin(), record.steps.end(), [](const auto& s) { return s.has_address; });
  ASSERT_NE(store, record.steps.end());
  EXPECT_EQ(store->offset, 102u * 4 + 8);
  EXPECT_EQ(record.places[store->place].what, "argument 1");
  EXPECT_EQ(record.places[store->place].bytes, 4096u);
}

TEST_F(Followed, SkippedAndInactiveStretches) {
  const std::string body =
      "setp.lt.u32 %p1, %r1, 8; @%p1 add.u32 %r2, %r1, 5; @!%p1 bra L;\n"
      "add.u32 %r3, %r1, 1; add.u32 %r4, %r3, 2;\nL: st.global.u32 [%rd1], %r1;";
  using Kind = ThreadRecord::Kind;
  const auto kinds = [&](const ThreadRecord& record, Kind kind) {
    return std::count_if(record.steps.begin(), record.steps.end(),
                         [&](const auto& s) { return s.kind == kind; });
  };
  const ThreadRecord outside = follow(body, 0, 20);
  EXPECT_EQ(kinds(outside, Kind::kSkipped), 1);
  ASSERT_EQ(kinds(outside, Kind::kInactive), 1);
  const auto stretch = std::find_if(outside.steps.begin(), outside.steps.end(),
                                    [](const auto& s) { return s.kind == Kind::kInactive; });
  EXPECT_EQ(stretch->count, 2u);
  const ThreadRecord inside = follow(body, 0, 3);
  EXPECT_EQ(kinds(inside, Kind::kSkipped), 0);
  EXPECT_EQ(kinds(inside, Kind::kInactive), 0);
}

// Breaks when following changes what is counted or how long it takes.
TEST_F(Followed, ChangesNothing) {
  const std::string body =
      "mul.wide.u32 %rd4, %r1, 8; add.s64 %rd5, %rd1, %rd4; st.global.u32 [%rd5], %r1; bar.sync 0;";
  const u64 buffer = device_.allocate(4096, "buffer");
  const LaunchResult plain = run_well(body, buffer, buffer, 64, 2);
  device_.follow({});
  const LaunchResult followed = run_well(body, buffer, buffer, 64, 2);
  EXPECT_TRUE(device_.followed().found);
  EXPECT_EQ(plain.counters.lane_instructions, followed.counters.lane_instructions);
  EXPECT_EQ(plain.counters.block_cycles_l2, followed.counters.block_cycles_l2);
}

TEST_F(Followed, KeepsNoMoreThanAskedFor) {
  ThreadRequest request;
  request.most_steps = 10;
  device_.follow(request);
  run_well("mov.u32 %r2, 0;\nL: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 100; @%p2 bra L;");
  EXPECT_LE(device_.followed().steps.size(), 10u);
  EXPECT_GT(device_.followed().executed, 300u);
}

}  // namespace
}  // namespace roofline::sim
