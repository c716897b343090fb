// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/access_recorder.h"

#include "kernel_fixture.h"

/// What `lab show` draws: the requests of one warp at one source line.
namespace roofline::sim {
namespace {

class Pictured : public KernelTest {
 protected:
  static constexpr const char* kFile = ".file 1 \"/home/me/k.cu\"\n";
  AccessPicture picture(const std::string& body, PictureRequest request, u32 threads = 64, u32 blocks = 2,
                        const std::string& outside = "") {
    request.file = "k.cu";
    AccessRecorder recorder(request);
    device_.set_observer(&recorder);
    const u64 buffer = device_.allocate(1 << 16, "buffer");
    last_ = run_well(body, buffer, buffer, threads, blocks, kFile + outside);
    device_.set_observer(nullptr);
    return recorder.picture();
  }
  static PictureRequest line(u32 line, u64 block = 0, u32 warp = 0) {
    PictureRequest request;
    request.line = line;
    request.block = block;
    request.warp = warp;
    return request;
  }
  LaunchResult last_;
};

constexpr const char* kStrided =
    ".loc 1 7 1\nmul.wide.u32 %rd4, %r1, 128; add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5];\n"
    ".loc 1 8 1\nmul.wide.u32 %rd6, %r1, 4; add.s64 %rd7, %rd1, %rd6; st.global.f32 [%rd7+4], %f1;";

// Breaks when the lanes are another warp's, another line's, or cost something else than the counters say.
TEST_F(Pictured, LanesOfOneLineOfOneWarp) {
  const AccessPicture seen = picture(kStrided, line(7, 1, 1));
  ASSERT_TRUE(seen.found) << seen.problem;
  ASSERT_EQ(seen.requests.size(), 1u);
  const AccessPicture::Request& request = seen.requests[0];
  EXPECT_EQ(request.mask, ~0u);
  EXPECT_EQ(request.width, 4u);
  EXPECT_FALSE(request.shared);
  EXPECT_EQ(request.addresses[0] - request.address, 32u * 128);
  EXPECT_EQ(request.addresses[31] - request.address, 63u * 128);
  EXPECT_EQ(request.cost, 32u);
  EXPECT_EQ(request.ideal, 4u);
  EXPECT_EQ(seen.places[request.place].what, "argument 1");
  EXPECT_EQ(seen.places[request.place].bytes, 1u << 16);
  EXPECT_EQ(seen.lines, (std::vector<u32>{7, 8}));
}

// Breaks when a request that was seen before its cost is counted gets the cost of its neighbours.
TEST_F(Pictured, EachRequestHasItsOwnCost) {
  const AccessPicture seen = picture(
      "mov.u32 %r2, 4;\n.loc 1 7 1\nL: mul.lo.u32 %r3, %r1, %r2; mul.wide.u32 %rd4, %r3, 1;"
      "add.s64 %rd5, %rd1, %rd4; ld.global.f32 %f1, [%rd5]; shl.b32 %r2, %r2, 1;"
      "setp.le.u32 %p1, %r2, 32; @%p1 bra L;",
      line(7));
  ASSERT_EQ(seen.requests.size(), 4u);
  for (u32 i = 0; i < 4; ++i) EXPECT_EQ(seen.requests[i].cost, 4u << i) << i;
  u64 sectors = 0;
  for (const InstructionCounters& each : last_.counters.per_instruction) sectors += each.sectors;
  EXPECT_EQ(sectors, 4u * (4 + 8 + 16 + 32)) << "four warps";
}

TEST_F(Pictured, BanksOfSharedMemory) {
  const AccessPicture seen = picture(
      ".shared .align 4 .b8 tile[8192];\n"
      "mov.u32 %r2, tile; shl.b32 %r3, %r1, 7; add.u32 %r4, %r2, %r3;\n.loc 1 9 1\nst.shared.u32 [%r4], %r1;",
      line(9), 32, 1);
  ASSERT_EQ(seen.requests.size(), 1u);
  EXPECT_TRUE(seen.requests[0].shared);
  EXPECT_EQ(seen.requests[0].addresses[3], 3u * 128);
  EXPECT_EQ(seen.requests[0].cost, 32u);
  EXPECT_EQ(seen.requests[0].ideal, 1u);
  EXPECT_EQ(seen.places[seen.requests[0].place].what, "shared memory");
}

// Breaks when the writers of a small array are only those of the warp, or of the wrong elements.
TEST_F(Pictured, WritersOfAllBlocks) {
  const AccessPicture seen = picture(
      "mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 64, %r1; mul.wide.u32 %rd4, %r3, 4;"
      "add.s64 %rd5, %rd1, %rd4;\n.loc 1 5 1\nst.global.u32 [%rd5], %r1;",
      line(5));
  ASSERT_EQ(seen.writers.size(), 128u);
  EXPECT_EQ(seen.written_width, 4u);
  for (const AccessPicture::Writer& each : seen.writers)
    EXPECT_EQ(each.element, each.block * 64 + each.thread);
}

TEST_F(Pictured, ActiveLanesInTheOrderOfTime) {
  const AccessPicture seen = picture(
      ".loc 1 3 1\nsetp.lt.u32 %p1, %r1, 8; @!%p1 bra L;\n.loc 1 4 1\nadd.u32 %r3, %r1, 1;\n"
      ".loc 1 5 1\nL: st.global.u32 [%rd1], %r1;",
      line(4));
  ASSERT_TRUE(seen.found);
  const auto at = [&](u32 wanted) {
    for (const AccessPicture::Step& step : seen.steps)
      if (seen.instructions[step.instruction].line == wanted) return step.active;
    return 0u;
  };
  EXPECT_EQ(at(4), 0xffu);
  EXPECT_EQ(at(5), ~0u);
}

// Breaks when watching changes what is counted, or a launch that was not asked for is watched.
TEST_F(Pictured, ChangesNothing) {
  const LaunchResult plain = run_well(kStrided, device_.allocate(1 << 16, ""), 0, 64, 2, kFile);
  const AccessPicture seen = picture(kStrided, line(7));
  EXPECT_EQ(plain.counters.lane_instructions, last_.counters.lane_instructions);
  EXPECT_EQ(plain.counters.global_load_sectors, last_.counters.global_load_sectors);
  EXPECT_EQ(plain.counters.block_cycles_l2, last_.counters.block_cycles_l2);
  PictureRequest second = line(7);
  second.launch = 2;
  const AccessPicture none = picture(kStrided, second);
  EXPECT_FALSE(none.found);
  EXPECT_EQ(none.launches, 1u);
}

TEST_F(Pictured, SaysWhyThereIsNone) {
  EXPECT_NE(picture(kStrided, line(99)).problem.find("belongs to this line"), std::string::npos);
  EXPECT_NE(picture(kStrided, line(7, 5)).problem.find("2 blocks"), std::string::npos);
  EXPECT_NE(picture(kStrided, line(7, 0, 2)).problem.find("2 warps"), std::string::npos);
  PictureRequest few = line(7);
  few.most_requests = 0;
  EXPECT_EQ(picture(kStrided, few).all_requests, 1u);
}

}  // namespace
}  // namespace roofline::sim
