// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Sealed memory and the text that comes from a worker.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "grader/box/process_tree.h"
#include "grader/call/busy_computer.h"
#include "grader/call/call.h"
#include "grader/call/shared_memory.h"
#include "grader/call/worker_process.h"

namespace roofline::grader {
namespace {

// Breaks when a deadline that passed among many programs is blamed on the file, or one that passed on a quiet
// computer is not.
TEST(BusyComputer, IsSaidWhereOthersTakeTheProcessors) {
  EXPECT_EQ(busy_computer(0.3, 2), "");
  EXPECT_EQ(busy_computer(5.9, 2), "") << "a grade of its own";
  EXPECT_NE(busy_computer(20.4, 2).find("20 threads share its 2 cores"), std::string::npos);
  EXPECT_NE(busy_computer(9, 1).find("share its core."), std::string::npos);
}

// Breaks when what a submission takes itself counts as taken by others: it would get a second try for
// nothing.
TEST(BusyComputer, IsNotMadeByTheSubmission) {
  const ProcessorTime before{.all = 1000, .idle = 400, .own = 100};
  EXPECT_TRUE(others_took_most(before, {.all = 2000, .idle = 500, .own = 200}));
  EXPECT_FALSE(others_took_most(before, {.all = 2000, .idle = 500, .own = 900}));
  EXPECT_FALSE(others_took_most(before, {.all = 2000, .idle = 1300, .own = 100})) << "nobody";
  EXPECT_FALSE(others_took_most(before, before));
  const auto start = processor_time({getpid()});
  std::uint64_t now = start.own;
  const pid_t child = fork();
  if (child == 0)
    for (;;) continue;
  while (now < start.own + 20) now = processor_time(tree_of(getpid())).own;
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  const ProcessorTime after = processor_time({getpid()});
  EXPECT_GE(after.own, now) << "children that have ended count, too";
  EXPECT_GE(after.all - start.all, 20U);
}

TEST(SharedMemory, NobodyChangesItsSize) {
  for (const auto who : {SharedMemory::Worker::kReads, SharedMemory::Worker::kWrites}) {
    SharedMemory memory("test", 1 << 20, who);
    EXPECT_NE(ftruncate(memory.fd(), 0), 0);
    EXPECT_NE(ftruncate(memory.fd(), 4096), 0);
    EXPECT_NE(ftruncate(memory.fd(), 2 << 20), 0);
    EXPECT_NE(fcntl(memory.fd(), F_ADD_SEALS, F_SEAL_WRITE), 0) << "the set of seals is sealed";
  }
}

TEST(SharedMemory, OnlyTheJudgeWritesTheInput) {
  SharedMemory memory("test", 1 << 16, SharedMemory::Worker::kReads);
  if (!memory.write_sealed()) GTEST_SKIP() << "kernel before 5.1";
  memory.bytes()[5] = std::byte{42};
  EXPECT_EQ(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd(), 0), MAP_FAILED);
  EXPECT_LT(pwrite(memory.fd(), "x", 1, 0), 0);
  EXPECT_NE(fallocate(memory.fd(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), 0);
  void* view = mmap(nullptr, 4096, PROT_READ, MAP_SHARED, memory.fd(), 0);
  ASSERT_NE(view, MAP_FAILED);
  EXPECT_EQ(static_cast<std::byte*>(view)[5], std::byte{42}) << "what the judge writes is seen";
  EXPECT_NE(mprotect(view, 4096, PROT_READ | PROT_WRITE), 0) << "and cannot be made writable";
  munmap(view, 4096);
  // A descriptor opened anew has no more rights.
  const int again = open(("/proc/self/fd/" + std::to_string(memory.fd())).c_str(), O_RDWR);
  if (again >= 0) {
    EXPECT_LT(pwrite(again, "x", 1, 0), 0);
    close(again);
  }
}

Program axpb() {
  return {.header = "h",
          .source = "s",
          .function = "f",
          .arguments = {in("x", "n"), out("y", "n"), scalar("a"), size("n"), stream()}};
}

CallShape shape(double n) {
  CallShape result;
  result.settings.set("n", n);
  result.seed = 3;
  return result;
}

TEST(CallPlan, GuardsSurroundEveryArrayAndDamageIsLocated) {
  const Program program = axpb();
  const CallPlan plan(program, shape(100));
  SharedMemory input("in", plan.input_bytes(), SharedMemory::Worker::kReads);
  std::vector<std::byte> output(plan.output_bytes());
  plan.fill(input.bytes(), output);
  const ArrayPlan& y = plan.array("y");
  EXPECT_EQ(y.record.payload % 256, 0U);
  EXPECT_EQ(plan.guard_damage(y, output).bytes, 0U);
  output[y.record.destination + y.record.payload + 400] = std::byte{1};
  EXPECT_EQ(plan.guard_damage(y, output).bytes, 1U);
  EXPECT_EQ(plan.guard_damage(y, output).first, 0);
  output[y.record.destination + y.record.payload - 2] = std::byte{1};
  EXPECT_EQ(plan.guard_damage(y, output).first, -2);
}

TEST(CallPlan, SimulatedArraysEndWhereTheAllocationEnds) {
  const Program program = axpb();
  CallShape tight = shape(100);
  tight.guards = false;
  tight.misaligned_elements = 1;
  const CallPlan plan(program, tight);
  const ArrayPlan& y = plan.array("y");
  EXPECT_EQ(y.record.payload, 4U);
  EXPECT_EQ(y.record.image_bytes, 404U) << "one byte more is a trap of the machine";
}

TEST(CallPlan, ScalarsAreTheFloatsThatTheFunctionGets) {
  const Program program = axpb();
  const CallPlan plan(program, shape(1));
  std::vector<std::byte> input(plan.input_bytes());
  const double a = plan.view(input).scalar("a");
  EXPECT_EQ(a, static_cast<double>(static_cast<float>(a)));
  EXPECT_EQ(plan.view(input).scalar("n"), 1);
  CallShape without = shape(1);
  without.settings = {};
  EXPECT_ANY_THROW(CallPlan(program, without)) << "a size that no case fixes";
}

TEST(CallPlan, ChangedInputIsFound) {
  const Program program = axpb();
  const CallPlan plan(program, shape(1000));
  std::vector<std::byte> input(plan.input_bytes()), output(plan.output_bytes());
  plan.fill(input, output);
  const ArrayPlan& x = plan.array("x");
  std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(x.record.source), x.record.image_bytes,
              output.begin() + static_cast<std::ptrdiff_t>(x.record.destination));
  EXPECT_EQ(plan.changed_input(x, input, output), -1);
  output[x.record.destination + x.record.payload + 4 * 700 + 1] ^= std::byte{1};
  EXPECT_EQ(plan.changed_input(x, input, output), 700);
}

TEST(CallPlan, FreshInputsForEachSeed) {
  const Program program = axpb();
  const CallPlan one(program, shape(1000));
  CallShape other = shape(1000);
  other.seed = 4;
  const CallPlan two(program, other);
  std::vector<std::byte> a(one.input_bytes()), b(two.input_bytes()), out(one.output_bytes());
  one.fill(a, out);
  two.fill(b, out);
  EXPECT_NE(a, b);
  EXPECT_NE(one.view(a).scalar("a"), two.view(b).scalar("a"));
  EXPECT_NE(one.poison(), two.poison());
}

}  // namespace
}  // namespace roofline::grader
