// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/tests/kernel_fixture.h"

/// Blocks that wait for each other do so in virtual time.
namespace roofline::sim::time_order {
namespace {

/// %r2 is the block's number, %rd4 the address of its word at p0, %rd5 that of its word at p1.
const std::string kHead = R"(
  mov.u32 %r2, %ctaid.x;
  mul.wide.u32 %rd3, %r2, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
)";

/// Thread 0 of each block waits until the word before its own is not 0, and sets its own to one more. `read`
/// and `set`: how.
std::string chain(const std::string& read, const std::string& set) {
  return kHead + R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  mov.u32 %r3, 1;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SET;
POLL:
)" + read +
         R"(
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra POLL;
  add.u32 %r3, %r3, 1;
SET:
)" + set +
         "\nEND:\n";
}
const std::string kVolatileChain =
    chain("ld.volatile.global.u32 %r3, [%rd4+-4];", "st.volatile.global.u32 [%rd4], %r3;");

class TimeOrderTest : public KernelTest {
 protected:
  u64 words(u32 n) { return upload(std::vector<u32>(n)); }
  double round_trip() const { return load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb").l2_latency; }
  double cycles(const LaunchResult& result) { return result.cycles_in_time; }
};

/// Broken when what a block waits for is there before the block that sets it could know it.
TEST_F(TimeOrderTest, EachLinkOfAChainTakesARoundTrip) {
  constexpr u32 kBlocks = 6000;  // an A100 has room for 3456 blocks of one warp
  const u64 out = words(kBlocks);
  const LaunchResult r = run_well(kVolatileChain, out, out, 32, kBlocks);
  EXPECT_EQ(download<u32>(out, kBlocks).back(), kBlocks);
  EXPECT_GE(cycles(r), (kBlocks - 1) * round_trip());
  EXPECT_LE(cycles(r), kBlocks * 3 * round_trip()) << "and half a poll, and the instructions between";
  EXPECT_GE(r.time.seconds, cycles(r) / 1410e6);
  EXPECT_EQ(r.time.limiter(), "waits between blocks");
}

/// A plain store behind a fence is a flag, too; so are atomics, and reads of them.
TEST_F(TimeOrderTest, WhateverTheFlagIs) {
  constexpr u32 kBlocks = 500;
  for (const auto& [read, set] :
       {std::pair{"ld.volatile.global.u32 %r3, [%rd4+-4];", "membar.gl;\nst.global.u32 [%rd4], %r3;"},
        std::pair{"ld.acquire.gpu.global.u32 %r3, [%rd4+-4];", "st.release.gpu.global.u32 [%rd4], %r3;"},
        std::pair{"atom.global.add.u32 %r3, [%rd4+-4], 0;", "red.global.add.u32 [%rd4], %r3;"},
        std::pair{"membar.gl;\nld.global.u32 %r3, [%rd4+-4];", "membar.gl;\nst.global.u32 [%rd4], %r3;"}}) {
    const u64 out = words(kBlocks);
    const LaunchResult r = run_well(chain(read, set), out, out, 32, kBlocks);
    EXPECT_EQ(download<u32>(out, kBlocks).back(), kBlocks) << read;
    EXPECT_GE(cycles(r), (kBlocks - 1) * round_trip()) << read;
    EXPECT_LE(cycles(r), kBlocks * 6 * round_trip()) << read;
  }
}

/// Each block says its own number at once and adds up those before it, word by word, until it finds one that
/// has the sum of all: several blocks walk back at the same time. Broken when a block finds the sum of its
/// neighbour where a GPU has its number only: then this takes as long as the chain.
TEST_F(TimeOrderTest, LookingBackIsNoChain) {
  constexpr u32 kBlocks = 3000;
  const u64 out = words(kBlocks);
  // The upper bit of a word: everything up to here.
  const LaunchResult r = run_well(kHead + R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  mov.u32 %r5, 0;
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra SET;
  st.volatile.global.u32 [%rd4], 1;
  mov.u64 %rd6, %rd4;
POLL:
  ld.volatile.global.u32 %r3, [%rd6+-4];
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra POLL;
  and.b32 %r4, %r3, 0x7fffffff;
  add.u32 %r5, %r5, %r4;
  sub.s64 %rd6, %rd6, 4;
  setp.lt.s32 %p4, %r3, 0;
  @!%p4 bra POLL;
SET:
  add.u32 %r5, %r5, 1;
  or.b32 %r5, %r5, 0x80000000;
  st.volatile.global.u32 [%rd4], %r5;
END:
)",
                                  out, out, 32, kBlocks);
  EXPECT_EQ(download<u32>(out, kBlocks).back(), kBlocks | 0x80000000);
  EXPECT_LT(cycles(r), kBlocks * round_trip() / 8);
  EXPECT_GT(cycles(r), 2 * round_trip());
}

/// Broken when a counter that all blocks wait for lets one of them on early.
TEST_F(TimeOrderTest, EachBarrierOfTheGridTakesARoundTrip) {
  const auto barriers = [&](u32 rounds) {
    const u64 out = words(1);
    return cycles(run_well(R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  mov.u32 %r3, 0;
  mov.u32 %r4, %nctaid.x;
ROUND:
  membar.gl;
  red.global.add.u32 [%rd1], 1;
POLL:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r4;
  @%p2 bra POLL;
  mov.u32 %r6, %nctaid.x;
  add.u32 %r4, %r4, %r6;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p3, %r3, )" + std::to_string(rounds) +
                               ";\n@%p3 bra ROUND;\nEND:\n",
                           out, out, 64, 216));
  };
  const double one = barriers(1), many = barriers(101);
  EXPECT_GE(many - one, 100 * 2 * round_trip()) << "a fence and a poll";
  EXPECT_LE(many - one, 100 * 5 * round_trip());
}

/// Broken when all blocks have their data at once: then they come to the barrier, or look back, in a crowd
/// that no GPU has.
TEST_F(TimeOrderTest, BlocksWaitForDramInTurn) {
  constexpr u32 kBlocks = 432, kLoads = 32;
  const u64 bytes = u64{kBlocks} * 256 * kLoads * 4;
  const u64 count = words(1), data = upload(std::vector<u32>(bytes / 4));
  const LaunchResult r = run_well(R"(
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 256, %r1;
  mul.wide.u32 %rd3, %r3, 4;
  add.s64 %rd4, %rd2, %rd3;
  mov.u32 %r4, 0;
LOAD:
  ld.global.u32 %r5, [%rd4];
  add.s64 %rd4, %rd4, 442368;
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p1, %r4, 32;
  @%p1 bra LOAD;
  bar.sync 0;
  setp.ne.u32 %p2, %r1, 0;
  @%p2 bra END;
  red.global.add.u32 [%rd1], 1;
POLL:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p3, %r5, 432;
  @%p3 bra POLL;
END:
)",
                                  count, data, 256, kBlocks);
  EXPECT_EQ(r.counters.dram_read_bytes / bytes, 1u);
  EXPECT_GE(cycles(r), static_cast<double>(bytes) / 1555e9 * 1410e6);
}

/// Blocks that take work from a counter share it as they do on a GPU. Broken when the first takes all of it
/// before the next one begins.
TEST_F(TimeOrderTest, TicketsGoRound) {
  constexpr u32 kBlocks = 50, kTickets = 5000;
  const u64 taken = words(kBlocks), counter = words(1);
  const LaunchResult r = run_well(kHead + R"(
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra END;
  mov.u32 %r3, 0;
TAKE:
  atom.global.add.u32 %r4, [%rd2], 1;
  setp.ge.u32 %p2, %r4, 5000;
  @%p2 bra SAY;
  add.u32 %r3, %r3, 1;
  bra TAKE;
SAY:
  st.global.u32 [%rd4], %r3;
END:
)",
                                  taken, counter, 32, kBlocks);
  for (const u32 tickets : download<u32>(taken, kBlocks)) EXPECT_NEAR(tickets, kTickets / kBlocks, 2);
  EXPECT_GE(cycles(r), kTickets / kBlocks * round_trip());
}

/// A block polls while another works for long: its polls are few, and what it waited counts. Broken when
/// sleeping blocks are not woken, or wake with the time at which they fell asleep.
TEST_F(TimeOrderTest, WhoOnlyPollsSleeps) {
  const u64 out = words(2);
  const LaunchResult r = run_well(kHead + R"(
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra WORK;
POLL:
  ld.volatile.global.u32 %r3, [%rd1];
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra POLL;
  bra END;
WORK:
  mov.u32 %r4, 0;
MORE:
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p4, %r4, 50000;
  @%p4 bra MORE;
  st.volatile.global.u32 [%rd1], 1;
END:
)",
                                  out, out, 32, 2);
  EXPECT_LE(issues_of(r, "ld.volatile"), 8u);
  EXPECT_GE(cycles(r), 50000 * 10);
}

/// A loop that counts its polls is none that goes round in a circle: it ends by itself, and each poll counts.
TEST_F(TimeOrderTest, CountedPollsAllHappen) {
  const u64 out = words(1);
  const LaunchResult r = run_well(R"(
  mov.u32 %r4, 0;
POLL:
  ld.volatile.global.u32 %r3, [%rd1];
  add.u32 %r4, %r4, 1;
  setp.ge.u32 %p2, %r4, 1000;
  @%p2 bra END;
  setp.eq.u32 %p3, %r3, 0;
  @%p3 bra POLL;
END:
)",
                                  out, out, 32, 2);
  EXPECT_EQ(issues_of(r, "ld.volatile"), 2000u);
  EXPECT_GE(cycles(r), 1000 * round_trip());
}

/// Blocks that nobody will ever let go on are found soon, also hundreds of them.
TEST_F(TimeOrderTest, EndlessWaitsAreFound) {
  const u64 out = words(400);
  const LaunchResult r = run(
      chain("ld.volatile.global.u32 %r3, [%rd4];", "st.volatile.global.u32 [%rd4], %r3;"), out, out, 32, 400);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock);
}

/// Kernels whose blocks do not wait for each other are run and timed as they were.
TEST_F(TimeOrderTest, OthersAreLeftAlone) {
  const u64 out = words(64), counter = words(1);
  EXPECT_EQ(cycles(run_well(kHead + "st.global.u32 [%rd4], %r2;\n", out, counter, 32, 64)), 0);
  EXPECT_EQ(cycles(run_well(kHead + "atom.global.add.u32 %r3, [%rd2], 1;\nst.global.u32 [%rd4], %r3;\n", out,
                            counter, 32, 64)),
            0)
      << "a ticket outside loops";
}

/// The same whatever the number of the host's threads.
TEST_F(TimeOrderTest, DoesNotDependOnTheHost) {
  const auto run_on = [](unsigned threads) {
    Device device{load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb"), threads};
    const u64 out = device.allocate(4 * 300, "test");
    Launch launch;
    launch.function = device.load_module(module_of(kVolatileChain), {}).functions.at(0).id;
    launch.grid = {300, 1, 1};
    launch.block = {64, 1, 1};
    launch.parameters.resize(16);
    std::memcpy(launch.parameters.data(), &out, 8);
    std::memcpy(launch.parameters.data() + 8, &out, 8);
    return device.launch(launch).cycles_in_time;
  };
  EXPECT_EQ(run_on(1), run_on(3));
}

/// Thread block clusters, on an H200: their blocks start together and wait for each other at the cluster's
/// barrier, too.
class ClustersInTimeTest : public TimeOrderTest {
 protected:
  /// `body` as in KernelTest, in clusters of so many blocks.
  LaunchResult run_in_clusters(const std::string& body, u32 size, u32 threads, u32 blocks, u32 words) {
    std::string module = module_of(body);
    module.replace(module.find("sm_80"), 5, "sm_90");
    Launch launch;
    launch.function = h200_.load_module(module, {}).functions.at(0).id;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.cluster = {size, 1, 1};
    launch.parameters.resize(16);
    out_ = h200_.allocate(4 * words, "test");
    std::memset(h200_.at(out_), 0, 4 * words);
    std::memcpy(launch.parameters.data(), &out_, 8);
    std::memcpy(launch.parameters.data() + 8, &out_, 8);
    EXPECT_EQ(h200_.check_launch(launch), "");
    return h200_.launch(launch);
  }
  double run_well_in_clusters(const std::string& body, u32 size, u32 threads, u32 blocks, u32 words) {
    const LaunchResult r = run_in_clusters(body, size, threads, blocks, words);
    EXPECT_FALSE(r.trap) << r.trap->message;
    return cycles(r);
  }
  u32 word(u32 i) {
    u32 value = 0;
    std::memcpy(&value, h200_.at(out_ + u64{i} * 4), 4);
    return value;
  }
  double h200_round_trip() const { return load_device(SIMULATOR_SOURCE "/devices", "h200").l2_latency; }

  Device h200_{load_device(SIMULATOR_SOURCE "/devices", "h200"), 2};
  u64 out_ = 0;
};

const std::string kArrive = "barrier.cluster.arrive.aligned;\n", kWait = "barrier.cluster.wait.aligned;\n";
constexpr double kClocksOfAnIteration = 24;
std::string work(u32 iterations) {
  return "mov.u32 %r4, 0;\nMORE:\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p7, %r4, " + std::to_string(iterations) +
         ";\n@%p7 bra MORE;\n";
}

/// Broken when a kernel waits for nothing because it has clusters; or when room for a block is room for a
/// cluster.
TEST_F(ClustersInTimeTest, EachLinkOfAChainTakesARoundTrip) {
  constexpr u32 kBlocks = 6000;  // an H200 has room for 4224 blocks of one warp
  const LaunchResult r = run_in_clusters(kVolatileChain, 4, 32, kBlocks, kBlocks);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(word(kBlocks - 1), kBlocks);
  EXPECT_GE(cycles(r), (kBlocks - 1) * h200_round_trip());
  EXPECT_LE(cycles(r), kBlocks * 3 * h200_round_trip());
  EXPECT_EQ(r.time.limiter(), "waits between blocks");
}

/// A barrier of the grid by one thread of each cluster, the others wait for that one: broken when blocks that
/// wait for their cluster are not let go on, or at another time than the last of them comes.
TEST_F(ClustersInTimeTest, ABarrierOfTheGridByOneThreadOfEachCluster) {
  const auto barriers = [&](u32 rounds) {
    return run_well_in_clusters(R"(
  mov.u32 %r3, 0;
  mov.u32 %r4, %nclusterid.x;
  mov.u32 %r7, %cluster_ctarank;
  or.b32 %r7, %r7, %r1;
  setp.ne.u32 %p1, %r7, 0;
ROUND:
)" + kArrive + kWait + R"(
  @%p1 bra MEET;
  membar.gl;
  red.global.add.u32 [%rd1], 1;
POLL:
  ld.volatile.global.u32 %r5, [%rd1];
  setp.lt.u32 %p2, %r5, %r4;
  @%p2 bra POLL;
MEET:
  bar.warp.sync -1;
)" + kArrive + kWait + R"(
  mov.u32 %r6, %nclusterid.x;
  add.u32 %r4, %r4, %r6;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p3, %r3, )" + std::to_string(rounds) +
                                    ";\n@%p3 bra ROUND;\n",
                                4, 64, 264, 1);
  };
  const double one = barriers(1), many = barriers(101);
  EXPECT_EQ(word(0), 101u * 66);
  EXPECT_GE(many - one, 100 * 2 * h200_round_trip()) << "a fence and a poll";
  EXPECT_LE(many - one, 100 * 5 * h200_round_trip());
}

/// One block of a cluster works for long, and sets a flag behind the cluster's barrier; warps of the others
/// poll it or wait for the cluster meanwhile. Broken when who sleeps is let go on by the barrier at a time of
/// its own: then its wait counts twice, or never.
TEST_F(ClustersInTimeTest, ThoseWhoSleepPassTheBarrierInTime) {
  constexpr u32 kWork = 50000;
  const auto kernel = [&](const std::string& poll) {
    return "mov.u32 %r7, %cluster_ctarank;\nsetp.eq.u32 %p1, %r7, 1;\n@%p1 bra WORK;\n" + kArrive +
           "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra MEET;\n" + poll + "bra END;\nMEET:\n" + kWait + work(1000) +
           "bra DONE;\nWORK:\nmov.u32 %r8, 0;\nWORKS:\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p3, %r8, " +
           std::to_string(kWork) + ";\n@%p3 bra WORKS;\n" + kArrive + kWait +
           "st.volatile.global.u32 [%rd1], 1;\nbra DONE;\nEND:\n" + kWait + "DONE:\n";
  };
  const std::string poll =
      "POLL:\nld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p4, %r5, 0;\n@%p4 bra POLL;\n";
  const double waits = run_well_in_clusters(kernel(poll), 2, 64, 2, 1);
  EXPECT_GE(waits, kWork * kClocksOfAnIteration);
  EXPECT_LE(waits, kWork * kClocksOfAnIteration * 1.05);
}

/// Shared memory of another block is a flag as well. Broken when who looks at it, and at global memory,
/// sleeps on, or wakes before it is set.
TEST_F(ClustersInTimeTest, WhatABlockWritesIntoAnotherWakesIt) {
  const std::string body = R"(
  mov.u32 %r7, %cluster_ctarank;
  mov.u32 %r9, s;
  setp.eq.u32 %p1, %r7, 1;
  st.shared.u32 [s], 0;
)" + kArrive + kWait + R"(
  @%p1 bra WORK;
POLL:
  ld.volatile.global.u32 %r5, [%rd1];
  ld.volatile.shared.u32 %r6, [s];
  or.b32 %r5, %r5, %r6;
  setp.eq.u32 %p4, %r5, 0;
  @%p4 bra POLL;
  st.global.u32 [%rd1+4], %r6;
)" + work(20000) + R"(
  bra END;
WORK:
)" + work(20000) + R"(
  mapa.shared::cluster.u32 %r10, %r9, 0;
  st.shared::cluster.u32 [%r10], 7;
END:
)" + kArrive + kWait;
  std::string module = ".shared .align 4 .b8 s[16];\n" + body;
  // Labels once each.
  module.replace(module.rfind("MORE:"), 5, "AGAIN:");
  module.replace(module.rfind("bra MORE"), 8, "bra AGAIN");
  const LaunchResult r = run_in_clusters(module, 2, 32, 2, 2);
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(word(1), 7u);
  EXPECT_GE(cycles(r), 40000 * kClocksOfAnIteration);
  EXPECT_LE(cycles(r), 40000 * kClocksOfAnIteration * 1.05);
}

/// Whatever the others wait at. Broken when the kernel does not end.
TEST_F(ClustersInTimeTest, EndlessWaitsAreFound) {
  const std::string flag =
      "POLL:\nld.volatile.global.u32 %r5, [%rd1];\nsetp.eq.u32 %p4, %r5, 0;\n@%p4 bra POLL;\n";
  const std::string first = "mov.u32 %r7, %cluster_ctarank;\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra MEET;\n";
  const std::string in_its_block = "setp.ge.u32 %p2, %r1, 32;\n@%p2 bra MEET;\nbar.sync 1, 64;\n";
  // The second never comes to the flag.
  for (const std::string& waits : {first + flag, "bra BEGIN;\n" + flag + "BEGIN:\n" + first + in_its_block}) {
    const LaunchResult r = run_in_clusters(waits + "MEET:\n" + kArrive + kWait, 2, 64, 4, 1);
    ASSERT_TRUE(r.trap) << waits;
    EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock) << r.trap->message;
  }
}

}  // namespace
}  // namespace roofline::sim::time_order
