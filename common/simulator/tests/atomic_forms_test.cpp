// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "kernel_fixture.h"
#include "ptxas.h"

/// What ptxas makes of atomics. ptxas is the oracle.
namespace roofline::sim::atomic_forms {
namespace {

struct Form {
  std::string body;
  AtomicForm expected;
};

const std::string kShared = ".shared .align 8 .b8 s[2048];\n";
/// %rd1 and %rd2 are arrays; %r2 is the thread, %r3 and %rd3 come from what it reads, %r4
/// from the shared array, at a place that it reads. %p1 is of the thread, %p2 of the block.
const std::string kBefore =
    "mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, 8; add.s64 %rd5, %rd2, %rd4;"
    "ld.global.u32 %r3, [%rd5]; ld.global.u64 %rd3, [%rd5]; and.b32 %r5, %r3, 255; shl.b32 %r5, %r5, 3;"
    "mov.u32 %r6, s; add.s32 %r4, %r6, %r5; st.shared.u64 [%r4], 0; setp.gt.u32 %p1, %r3, 7;"
    "mov.u32 %r10, %nctaid.x; setp.gt.u32 %p2, %r10, 7; cvt.rn.f32.u32 %f1, %r3; cvt.rn.f64.u32 %fd1, %r3; "
    "bar.sync 0;\n";
/// What the atomics return, and what they leave in shared memory, is read.
const std::string kAfter =
    "\nbar.sync 0; ld.shared.u64 %rd9, [%r4]; add.s64 %rd9, %rd9, %rd8; st.global.u64 [%rd5], %rd9;"
    "st.global.u32 [%rd5], %r8;";

std::vector<Form> forms() {
  using enum AtomicForm;
  return {
      // One address for all lanes.
      {"red.global.add.u32 [%rd1], 1;", kOneLane},
      {"red.global.add.u32 [%rd1], %r3;", kOneLane},
      {"red.global.add.s32 [%rd1], %r3;", kOneLane},
      {"atom.global.add.u32 %r8, [%rd1], 1;", kOneLane},
      {"red.global.max.s32 [%rd1], %r3;", kOneLane},
      {"red.global.min.u32 [%rd1], %r3;", kOneLane},
      {"red.global.and.b32 [%rd1], %r3;", kOneLane},
      {"red.global.or.b32 [%rd1], %r3;", kOneLane},
      {"red.global.xor.b32 [%rd1], %r3;", kOneLane},
      {"red.global.add.u64 [%rd1], 1;", kOneLane},
      {"mov.u32 %r9, %ctaid.x; mul.wide.u32 %rd6, %r9, 4; add.s64 %rd7, %rd1, %rd6;"
       "red.global.add.u32 [%rd7], 1;",
       kOneLane},
      {"ld.global.u64 %rd6, [%rd1+8]; add.s64 %rd7, %rd1, %rd6; red.global.add.u32 [%rd7], 1;", kOneLane},
      {"mov.u64 %rd7, %rd1; @%p2 bra A; add.s64 %rd7, %rd1, 64; A: red.global.add.u32 [%rd7], 1;", kOneLane},
      {"@%p1 bra A; red.global.add.u32 [%rd1], 1; A:", kOneLane},
      {"atom.shared.add.u32 %r8, [s], 1;", kOneLane},
      {"red.shared.add.u32 [s], %r3;", kOneLane},
      // It may be another one, or the operation does not allow it.
      {"add.s64 %rd7, %rd1, %rd4; red.global.add.u32 [%rd7], 1;", kEachLane},
      {"mov.u64 %rd7, %rd1; @%p1 bra A; add.s64 %rd7, %rd1, 64; A: red.global.add.u32 [%rd7], 1;", kEachLane},
      {"shfl.sync.idx.b32 %r9, %r2, 0, 31, -1; mul.wide.u32 %rd6, %r9, 4; add.s64 %rd7, %rd1, %rd6;"
       "red.global.add.u32 [%rd7], 1;",
       kEachLane},
      {"red.global.add.f32 [%rd1], %f1;", kEachLane},
      {"red.global.add.f64 [%rd1], %fd1;", kEachLane},
      {"red.global.add.u64 [%rd1], %rd3;", kEachLane},
      {"atom.global.max.s32 %r8, [%rd1], %r3;", kEachLane},
      {"red.global.inc.u32 [%rd1], 77;", kEachLane},
      {"atom.global.exch.b32 %r8, [%rd1], %r3;", kEachLane},
      {"atom.global.cas.b32 %r8, [%rd1], 0, %r3;", kEachLane},
      // Shared memory.
      {"atom.shared.add.u32 %r9, [%r4], 1;", kCounted},
      {"red.shared.add.u32 [%r4], 1;", kCounted},
      {"red.shared.add.u32 [s], 1;", kCountedOrOneLane},
      {"atom.shared.add.u32 %r8, [%r4], 1;", kEachLane},
      {"red.shared.add.s32 [%r4], 1;", kEachLane},
      {"red.shared.add.u32 [%r4], 2;", kEachLane},
      {"red.shared.add.u32 [%r4], %r1;", kEachLane},
      {"red.shared.max.s32 [%r4], %r3;", kEachLane},
      {"red.shared.inc.u32 [%r4], %r3;", kEachLane},
      {"atom.shared.exch.b64 %rd8, [%r4], %rd3;", kEachLane},
      {"atom.shared.cas.b64 %rd8, [%r4], 0, %rd3;", kEachLane},
      {"red.shared.add.f32 [%r4], %f1;", kLoop},
      {"red.shared.add.f32 [s], %f1;", kLoop},
      {"red.shared.add.f64 [%r4], %fd1;", kLoop},
      {"red.shared.add.u64 [%r4], %rd3;", kLoop},
      {"red.shared.max.u64 [%r4], %rd3;", kLoop},
  };
}

class AtomicFormsTest : public KernelTest {
 protected:
  AtomicForm ours(const std::string& module) {
    const u32 function = device_.load_module(module, {}).functions.at(0).id;
    for (const InstructionInfo& in : device_.instructions_of(function))
      if (in.traits.atomic != AtomicOperation::kNone) return in.atomic_form;
    ADD_FAILURE() << "no atomic";
    return AtomicForm::kEachLane;
  }
};

/// By the opcodes of sm_80's machine code.
AtomicForm theirs(const std::string& module) {
  constexpr u64 kCountLanes = 0xf8c, kCompareAndSwap = 0x38d, kBeginLoop = 0x945;
  constexpr u64 kVote = 0x806, kVoteUniform = 0x886;
  const std::vector<MachineInstruction> code = machine_code_of(module);
  const auto has = [&](u64 opcode) {
    return std::ranges::any_of(code, [&](const MachineInstruction& in) { return in.opcode() == opcode; });
  };
  if (has(kCountLanes)) return AtomicForm::kCounted;
  if (has(kCompareAndSwap) && has(kBeginLoop)) return AtomicForm::kLoop;
  return has(kVote) || has(kVoteUniform) ? AtomicForm::kOneLane : AtomicForm::kEachLane;
}

// Breaks when ptxas and the machine disagree about who does an atomic.
TEST_F(AtomicFormsTest, AsPtxasHasThem) {
  for (const Form& form : forms()) {
    const std::string module = module_of(kBefore + form.body + kAfter, kShared);
    EXPECT_EQ(ours(module), form.expected) << form.body;
    const AtomicForm sm_80 =
        form.expected == AtomicForm::kCountedOrOneLane ? AtomicForm::kCounted : form.expected;
    EXPECT_EQ(theirs(module), sm_80) << form.body;
  }
}

// Breaks when code that nobody optimised is taken for optimised.
TEST_F(AtomicFormsTest, NotInDebugCode) {
  std::string module = module_of(kBefore + "red.global.add.u32 [%rd1], 1;" + kAfter, kShared);
  module.replace(module.find("sm_80"), 5, "sm_80, debug");
  EXPECT_EQ(ours(module), AtomicForm::kEachLane);
}

/// What the kernel counted, run by one block on memory of its own.
class AtomicCountsTest : public KernelTest {
 protected:
  LaunchResult counted(const std::string& body, u32 threads = 32) {
    const std::vector<u64> zeros(1024);
    return run_well(kBefore + body, upload(zeros), upload(zeros), threads, 1, kShared);
  }
};

// Breaks when lanes with one address for all reach L2 one by one.
TEST_F(AtomicCountsTest, OneLaneGoesForAll) {
  const KernelCounters one = counted("red.global.add.u32 [%rd1], 1;").counters;
  EXPECT_EQ(one.atomic_lanes, 1u);
  EXPECT_EQ(one.atomic_same_address_max, 1u);
  EXPECT_EQ(one.atomic_more_turns, 0u);
  const KernelCounters each = counted("red.global.add.f32 [%rd1], %f1;").counters;
  EXPECT_EQ(each.atomic_lanes, 32u);
  EXPECT_EQ(each.atomic_float_lanes, 32u);
  EXPECT_EQ(each.atomic_same_address_max, 32u);
  EXPECT_EQ(each.atomic_more_turns, 31u);
}

// Break when a request's sectors, words and turns are counted wrongly.
TEST_F(AtomicCountsTest, SectorsWordsAndTurns) {
  // Eight words of a sector, four times.
  const KernelCounters spread = counted(
                                    "mul.wide.u32 %rd6, %r2, 4; add.s64 %rd7, %rd1, %rd6;"
                                    "red.global.add.u32 [%rd7], 1;")
                                    .counters;
  EXPECT_EQ(spread.atomic_met_sectors, 4u);
  EXPECT_EQ(spread.atomic_sector_words, 32u);
  EXPECT_EQ(spread.atomic_more_turns, 0u);
  EXPECT_EQ(spread.atomic_slice_turns_max, 4u);
  // Four lanes on each of eight words of one sector.
  const KernelCounters meeting = counted(
                                     "shr.u32 %r9, %r2, 2; mul.wide.u32 %rd6, %r9, 4;"
                                     "add.s64 %rd7, %rd1, %rd6; red.global.add.u32 [%rd7], 1;")
                                     .counters;
  EXPECT_EQ(meeting.atomic_met_sectors, 1u);
  EXPECT_EQ(meeting.atomic_sector_words, 8u);
  EXPECT_EQ(meeting.atomic_more_turns, 3u);
  EXPECT_EQ(meeting.atomic_slice_turns_max, 4u);
}

// Breaks when counting lanes that meet costs a turn each from compute capability 8.0 on.
TEST_F(AtomicCountsTest, LanesThatMeetAreCountedAtOnce) {
  const std::string all_in_one = "add.s32 %r4, %r6, %r3;";  // what is read is 0
  EXPECT_EQ(counted(all_in_one + "red.shared.add.u32 [%r4], 1;").counters.shared_wavefronts,
            counted(all_in_one + "red.shared.add.u32 [%r4], 2;").counters.shared_wavefronts - 31);
}

// Breaks when warps that add to one float of shared memory do not wait for each other.
TEST_F(AtomicCountsTest, LoopsOfCompareAndSwapFollowEachOther) {
  const std::string meet = "red.shared.add.f32 [s], %f1;";
  std::string eight;
  for (int i = 0; i < 8; ++i) eight += meet;
  const double one = counted(eight).time.seconds, many = counted(eight, 256).time.seconds;
  EXPECT_GT(many, 5 * one);
}

}  // namespace
}  // namespace roofline::sim::atomic_forms
