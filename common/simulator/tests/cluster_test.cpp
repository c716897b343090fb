// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "simulator/device/device.h"

// Clusters, memory barriers and kernels that cannot run, as hand-written PTX on a simulated H200.
namespace roofline::sim::cluster {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

constexpr const char* kBoth = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

class ClusterTest : public testing::Test {
 protected:
  /// A kernel `k` with one pointer parameter in %rd1; %r1 is the thread, %r2 the rank in the cluster.
  static std::string kernel(const std::string& body, const std::string& name = "k",
                            const std::string& head = "") {
    return ".visible .entry " + name + "(.param .u64 p)" + head +
           "\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n.shared .align 8 .b8 s[256];\n"
           "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %cluster_ctarank;\n" +
           body + "ret;\n}\n";
  }
  ModuleFacts load(const std::string& kernels) {
    return device_.load_module(".version 8.0\n.target sm_90\n.address_size 64\n" + kernels, {});
  }
  Launch launch_of(const FunctionFacts& function, u32 blocks, Dim3 cluster, u32 threads = 32) {
    Launch launch;
    launch.function = function.id;
    launch.grid = {blocks, 1, 1};
    launch.block = {threads, 1, 1};
    launch.cluster = cluster;
    launch.parameters.resize(function.parameter_bytes);
    if (memory_ == 0) memory_ = device_.allocate(4096, "test");
    std::memcpy(launch.parameters.data(), &memory_, 8);
    return launch;
  }
  LaunchResult run(const std::string& body, u32 blocks, Dim3 cluster, u32 threads = 32) {
    const ModuleFacts module = load(kernel(body));
    const Launch launch = launch_of(module.functions.at(0), blocks, cluster, threads);
    EXPECT_EQ(device_.check_launch(launch), "");
    return device_.launch(launch);
  }
  u32 word(u32 i) {
    u32 value;
    std::memcpy(&value, device_.at(memory_ + i * 4), 4);
    return value;
  }

  Device device_{load_device(SIMULATOR_SOURCE "/devices", "h200"), 2};
  u64 memory_ = 0;
};

// Broken by blocks of a cluster that do not run together, by ranks in another order, by a barrier that lets
// somebody through early.
TEST_F(ClusterTest, BlocksReadEachOthersSharedMemory) {
  const LaunchResult r =
      run("mov.u32 %r3, %ctaid.x;\nst.shared.u32 [s], %r3;\n" + std::string(kBoth) +
              "mov.u32 %r4, s;\nxor.b32 %r5, %r2, 1;\nmapa.shared::cluster.u32 %r6, %r4, %r5;\n"
              "ld.shared::cluster.u32 %r7, [%r6];\n" +
              kBoth + "mad.wide.u32 %rd2, %r3, 4, %rd1;\nst.global.u32 [%rd2], %r7;\n",
          6, {2, 1, 1});
  ASSERT_FALSE(r.trap) << r.trap->message;
  for (u32 i = 0; i < 6; ++i) EXPECT_EQ(word(i), i ^ 1u);
}

// Generic addresses reach the other block too; a block's own part of the window is its shared memory.
TEST_F(ClusterTest, GenericAddressesAndOwnRank) {
  const LaunchResult r =
      run("st.shared.u32 [s], 77;\n" + std::string(kBoth) +
              "mov.u64 %rd3, s;\ncvta.shared.u64 %rd4, %rd3;\nmapa.u64 %rd5, %rd4, 1;\nld.u32 %r7, [%rd5];\n"
              "getctarank.u64 %r8, %rd5;\nisspacep.shared::cta %p1, %rd5;\nselp.u32 %r9, 100, 0, %p1;\n" +
              kBoth +
              "add.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r7, %r9;\nmov.u32 %r3, %ctaid.x;\n"
              "mad.wide.u32 %rd2, %r3, 4, %rd1;\nst.global.u32 [%rd2], %r7;\n",
          2, {2, 1, 1});
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(word(0), 78u);
  EXPECT_EQ(word(1), 178u);
}

TEST_F(ClusterTest, MisuseIsNamed) {
  const LaunchResult rank = run("mov.u32 %r4, s;\nmapa.shared::cluster.u32 %r6, %r4, 2;\n", 2, {2, 1, 1});
  ASSERT_TRUE(rank.trap);
  EXPECT_TRUE(contains(rank.trap->message, "block 2 of a cluster of 2")) << rank.trap->message;
  const LaunchResult ended =
      run("setp.eq.u32 %p1, %r2, 1;\n@%p1 ret;\nmov.u32 %r4, s;\n"
          "mapa.shared::cluster.u32 %r6, %r4, 1;\n" +
              std::string(kBoth) + "ld.shared::cluster.u32 %r7, [%r6];\n",
          2, {2, 1, 1});
  ASSERT_TRUE(ended.trap);
  EXPECT_TRUE(contains(ended.trap->message, "has ended")) << ended.trap->message;
  const LaunchResult outside =
      run("mov.u32 %r4, s;\nmapa.shared::cluster.u32 %r6, %r4, 1;\n" + std::string(kBoth) +
              "ld.shared::cluster.u32 %r7, [%r6+256];\n" + kBoth,
          2, {2, 1, 1});
  ASSERT_TRUE(outside.trap);
  EXPECT_TRUE(contains(outside.trap->message, "just past")) << outside.trap->message;
  const LaunchResult unpaired = run("barrier.cluster.wait.aligned;\n", 2, {2, 1, 1});
  ASSERT_TRUE(unpaired.trap);
  EXPECT_TRUE(contains(unpaired.trap->message, "before barrier.cluster.arrive")) << unpaired.trap->message;
}

// Block 0 and a warp of block 1 wait for the cluster; the other warp of block 1 waits in its own block for
// that warp. Broken by taking every block that waits for the cluster for one that will go on.
TEST_F(ClusterTest, DeadlockIsFound) {
  const LaunchResult r =
      run("setp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nsetp.ge.u32 %p2, %r1, 32;\n@%p2 bra WAIT;\n"
          "bar.sync 1, 64;\nbra END;\nWAIT:\n" +
              std::string(kBoth) + "END:\n",
          2, {2, 1, 1}, 64);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock) << r.trap->message;
}

// Block 1 waits in its shared memory for a value that block 0 would store behind the cluster's barrier.
// Broken by looking only at blocks that poll.
TEST_F(ClusterTest, EndlessWaitBesideAClusterBarrierIsFound) {
  const LaunchResult r =
      run("setp.eq.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nPOLL:\nld.volatile.shared.u32 %r3, [s];\n"
          "setp.eq.u32 %p2, %r3, 0;\n@%p2 bra POLL;\nWAIT:\n" +
              std::string(kBoth),
          2, {2, 1, 1}, 64);
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kDeadlock) << r.trap->message;
}

TEST_F(ClusterTest, LimitsAreChecked) {
  const ModuleFacts module =
      load(kernel("") + kernel("", "of_four", " .explicitcluster .reqnctapercluster 4, 1, 1"));
  const FunctionFacts &plain = module.functions.at(0), &of_four = module.functions.at(1);
  const auto problem = [&](const FunctionFacts& f, u32 blocks, Dim3 cluster) {
    return device_.check_launch(launch_of(f, blocks, cluster));
  };
  EXPECT_EQ(problem(plain, 7, {0, 0, 0}), "");
  EXPECT_EQ(problem(plain, 16, {8, 1, 1}), "");
  EXPECT_TRUE(contains(problem(plain, 32, {32, 1, 1}), "16 are allowed"));
  EXPECT_TRUE(contains(problem(plain, 7, {2, 1, 1}), "not a multiple"));
  EXPECT_EQ(of_four.cluster.x, 4u);
  EXPECT_EQ(problem(of_four, 8, {0, 0, 0}), "");
  EXPECT_TRUE(contains(problem(of_four, 6, {0, 0, 0}), "not a multiple"));
  EXPECT_TRUE(contains(problem(of_four, 8, {2, 1, 1}), "compiled for 4"));
}

// ---- mbarrier ----

// Broken by a phase that ends before all have arrived, or by a parity that does not change.
TEST_F(ClusterTest, MbarrierPhases) {
  const LaunchResult r =
      run("mov.u32 %r4, s;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n"
          "mbarrier.init.shared.b64 [%r4], 2;\nmbarrier.arrive.shared.b64 %rd2, [%r4];\n"
          "mbarrier.test_wait.shared.b64 %p2, [%r4], %rd2;\nselp.u32 %r5, 1, 0, %p2;\n"
          "mbarrier.pending_count.b64 %r6, %rd2;\n"
          "mbarrier.arrive.expect_tx.shared.b64 %rd3, [%r4], 16;\n"
          "mbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0;\nselp.u32 %r7, 1, 0, %p2;\n"
          "mbarrier.complete_tx.shared::cta.b64 [%r4], 16;\n"
          "mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\nselp.u32 %r8, 1, 0, %p2;\n"
          "mbarrier.test_wait.shared.b64 %p2, [%r4], %rd3;\nselp.u32 %r9, 1, 0, %p2;\n"
          "st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};\nst.global.u32 [%rd1+16], %r9;\nEND:\n",
          1, {1, 1, 1});
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(word(0), 0u);  // one of two has arrived
  EXPECT_EQ(word(1), 2u);
  EXPECT_EQ(word(2), 0u);  // both, but 16 bytes are missing
  EXPECT_EQ(word(3), 1u);
  EXPECT_EQ(word(4), 1u);
}

TEST_F(ClusterTest, MbarrierMisuseIsNamed) {
  const LaunchResult without_init =
      run("mov.u32 %r4, s;\nmbarrier.arrive.shared.b64 %rd2, [%r4];\n", 1, {1, 1, 1});
  ASSERT_TRUE(without_init.trap);
  EXPECT_TRUE(contains(without_init.trap->message, "not initialised")) << without_init.trap->message;
  const LaunchResult too_many =
      run("mov.u32 %r4, s;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n"
          "mbarrier.init.shared.b64 [%r4], 2;\n"
          "mbarrier.arrive.shared.b64 %rd2, [%r4], 3;\nEND:\n",
          1, {1, 1, 1});
  ASSERT_TRUE(too_many.trap);
  EXPECT_TRUE(contains(too_many.trap->message, "an arrival of 3")) << too_many.trap->message;
}

// A bulk copy brings its bytes and says so.
TEST_F(ClusterTest, BulkCopyCompletesOnTheBarrier) {
  memory_ = device_.allocate(4096, "test");
  for (u32 i = 0; i < 256; ++i) std::memcpy(device_.at(memory_ + 2048 + i * 4), &i, 4);
  const LaunchResult r =
      run("mov.u32 %r4, s;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra END;\n"
          "mbarrier.init.shared.b64 [%r4], 1;\n"
          "mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 176;\nadd.u64 %rd2, %rd1, 2048;\n"
          "add.u32 %r5, %r4, 16;\n"
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5], [%rd2], 176, "
          "[%r4];\nmbarrier.test_wait.parity.shared.b64 %p2, [%r4], 0;\nselp.u32 %r6, 1, 0, %p2;\n"
          "ld.shared.u32 %r7, [s+188];\nst.global.v2.u32 [%rd1], {%r6, %r7};\nEND:\n",
          1, {1, 1, 1});
  ASSERT_FALSE(r.trap) << r.trap->message;
  EXPECT_EQ(word(0), 1u);
  EXPECT_EQ(word(1), 43u);
}

// ---- kernels that cannot run ----

TEST_F(ClusterTest, OnlyTheKernelThatReachesAnUnknownInstructionIsRefused) {
  const ModuleFacts module =
      load(".func odd() {\n.reg .b32 %r<3>;\nfrobnicate.u32 %r1, %r2;\nret;\n}\n" +
           kernel("st.global.u32 [%rd1], 5;\n", "good") + kernel("call odd;\n", "bad"));
  const FunctionFacts &good = module.functions.at(0), &bad = module.functions.at(1);
  EXPECT_EQ(good.problem, "");
  EXPECT_TRUE(contains(bad.problem, "frobnicate.u32")) << bad.problem;
  EXPECT_EQ(device_.check_launch(launch_of(good, 1, {0, 0, 0})), "");
  EXPECT_TRUE(contains(device_.check_launch(launch_of(bad, 1, {0, 0, 0})), "frobnicate.u32"));
  const LaunchResult r = device_.launch(launch_of(good, 1, {0, 0, 0}));
  EXPECT_FALSE(r.trap);
  EXPECT_EQ(word(0), 5u);
}

// A function that only pointers reach may never be called: its instruction traps when it is.
TEST_F(ClusterTest, UnknownInstructionBehindAPointerTrapsWhenItRuns) {
  const std::string pick =
      "setp.lt.u32 %p1, %r1, 32;\nmov.u64 %rd2, even;\n@!%p1 mov.u64 %rd2, odd;\n"
      "P: .callprototype ()_ ();\ncall (), %rd2, (), P;\n";
  const ModuleFacts module =
      load(".func even() {\nret;\n}\n.func odd() {\n.reg .b32 %r<3>;\nfrobnicate.u32 %r1, %r2;\nret;\n}\n" +
           kernel(pick));
  const FunctionFacts& function = module.functions.at(0);
  EXPECT_EQ(function.problem, "");
  EXPECT_FALSE(device_.launch(launch_of(function, 1, {0, 0, 0}, 32)).trap);
  const LaunchResult r = device_.launch(launch_of(function, 1, {0, 0, 0}, 64));
  ASSERT_TRUE(r.trap);
  EXPECT_EQ(r.trap->kind, TrapKind::kIllegalInstruction);
  EXPECT_TRUE(contains(r.trap->message, "frobnicate.u32")) << r.trap->message;
}

}  // namespace
}  // namespace roofline::sim::cluster
