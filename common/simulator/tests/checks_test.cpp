// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The bookkeeping behind `lab run --check`: sets of bytes, what barriers order, what streams order. Broken
// by: an order that is missed (a false alarm) or invented (a race that is not found). Whole programs are in
// bugs/.
#include <gtest/gtest.h>

#include <random>

#include "simulator/checks/byte_map.h"
#include "simulator/checks/order.h"
#include "simulator/checks/piece_order.h"
#include "simulator/checks/race_shadow.h"
#include "simulator/checks/stream_order.h"

namespace roofline::sim {
namespace {

TEST(ByteMap, SetsClearsAndCountsAcrossWordsAndPages) {
  ByteMap map;
  map.set(4090, 100);
  EXPECT_TRUE(map.has_all(4090, 100));
  EXPECT_FALSE(map.has_all(4089, 2));
  EXPECT_FALSE(map.has(4190));
  map.clear(4096, 4);
  EXPECT_EQ(map.count(0, 10000), 96u);
  EXPECT_TRUE(map.has_any(4090, 8));
  EXPECT_FALSE(map.has_any(4096, 4));
}

TEST(ByteMap, CopiesBitsToAnotherAlignment) {
  ByteMap map;
  map.set(100, 3);
  map.set(190, 50);
  map.set(5000, 200);
  map.copy(5003, map, 100, 150);
  for (u64 i = 0; i < 150; ++i) EXPECT_EQ(map.has(5003 + i), map.has(100 + i)) << i;
  EXPECT_TRUE(map.has(5002));
  EXPECT_TRUE(map.has(5153));
}

TEST(ByteMap, FindsTheFirstCommonByte) {
  ByteMap a, b;
  a.set(8000, 1000);
  b.set(0, 100);
  EXPECT_EQ(a.first_common(b), 0u);
  b.set(8999, 5000);
  EXPECT_EQ(a.first_common(b), 8999u);
}

/// An access by a thread now.
Stamp stamp(const BlockOrder& order, u16 thread) {
  Stamp stamp;
  stamp.clock = order.clock();
  stamp.thread = thread;
  return stamp;
}

TEST(BlockOrder, BarriersOrderThoseThatWait) {
  BlockOrder order(0, 3);
  const Stamp before = stamp(order, 5);
  EXPECT_FALSE(order.by_barrier(before, 1, 0));
  order.arrive(0, 0);
  const Stamp late = stamp(order, 6);  // behind its arrival: bar.arrive does not wait
  order.arrive(1, 0);
  order.complete(0, 0b010);
  EXPECT_TRUE(order.by_barrier(before, 1, 0));
  EXPECT_FALSE(order.by_barrier(late, 1, 0));
  EXPECT_FALSE(order.by_barrier(before, 2, 0)) << "warp 2 took no part";
  EXPECT_FALSE(order.by_barrier(before, 0, 3)) << "warp 0 did not wait, its lanes have not met";
}

TEST(BlockOrder, OrderPassesOnThroughSeveralBarriers) {
  BlockOrder order(0, 3);
  const Stamp before = stamp(order, 5);
  order.arrive(0, 1);
  order.arrive(1, 1);
  order.complete(1, 0b011);
  order.arrive(1, 2);
  order.arrive(2, 2);
  order.complete(2, 0b110);
  EXPECT_TRUE(order.by_barrier(before, 2, 0));
}

TEST(BlockOrder, PartsOfAWarpMeet) {
  BlockOrder order(0, 1);
  const Stamp low = stamp(order, 1), high = stamp(order, 20);
  order.warp_met(0, 0x0000'ffff);
  EXPECT_TRUE(order.by_barrier(low, 0, 2));
  EXPECT_FALSE(order.by_barrier(high, 0, 2));
  order.warp_met(0, 0x0010'0004);  // lanes 2 and 20
  EXPECT_TRUE(order.by_barrier(high, 0, 2));
  EXPECT_TRUE(order.by_barrier(low, 0, 20)) << "through lane 2";
  EXPECT_FALSE(order.by_barrier(high, 0, 3));
}

/// Whether what a thread did is known to a warp that has read a variable: of its own block, or of another.
struct Known {
  bool here, elsewhere;
};
Known known_after(Fence fence, bool block_scope) {
  BlockOrder writer(0, 2), other(1, 2);
  const Stamp before = stamp(writer, 0);
  writer.fence(fence);
  writer.publish(0, 5, block_scope, false);
  writer.acquire(1, 5);
  other.acquire(1, 5);
  return {LaunchOrder::by_memory(before, writer, 1, &writer.publications()),
          LaunchOrder::by_memory(before, other, 1, &writer.publications())};
}

// Breaks when a variable without a fence hands something on, or a fence or a scope reaches further than its
// block.
TEST(LaunchOrder, FencesAndScopesSayWhomAVariableReaches) {
  const Known bare = known_after(Fence::kNone, false);
  EXPECT_FALSE(bare.here || bare.elsewhere);
  const Known near = known_after(Fence::kBlock, false);
  EXPECT_TRUE(near.here);
  EXPECT_FALSE(near.elsewhere);
  const Known far = known_after(Fence::kWider, false);
  EXPECT_TRUE(far.here && far.elsewhere);
  const Known block = known_after(Fence::kWider, true);
  EXPECT_TRUE(block.here);
  EXPECT_FALSE(block.elsewhere) << "the variable is for its own block";
}

TEST(LaunchOrder, ABarrierIsAFenceForItsBlock) {
  BlockOrder order(0, 3);
  const Stamp before = stamp(order, 0);
  order.arrive(0, 0);
  order.publish(0, 5, false, false);
  order.acquire(2, 5);
  EXPECT_TRUE(LaunchOrder::by_memory(before, order, 2, &order.publications()));
}

class Streams : public testing::Test {
 protected:
  void write(u32 stream, u64 address) {
    order_.begin(stream, "write");
    order_.writes(address, 4);
    order_.end();
  }
  /// A finding that comes again is counted, not listed again.
  u64 races() const {
    u64 count = 0;
    for (const Finding& finding : findings_.all()) count += finding.count;
    return count;
  }

  Findings findings_;
  StreamOrder order_{findings_, [](u64) { return std::string("there"); }};
};

TEST_F(Streams, WithoutOrderItIsARace) {
  order_.stream_created(1, false);
  order_.stream_created(2, false);
  write(1, 100);
  write(2, 104);
  EXPECT_EQ(races(), 0u) << "other bytes";
  write(2, 100);
  ASSERT_EQ(races(), 1u);
  EXPECT_EQ(findings_.all()[0].rule, "stream-order");
  write(1, 104);
  EXPECT_EQ(races(), 2u);
}

TEST_F(Streams, EventsOrderWhatCameBeforeThem) {
  order_.stream_created(1, false);
  order_.stream_created(2, false);
  write(1, 100);
  order_.event_recorded(7, 1);
  write(1, 200);
  order_.event_waited(2, 7);
  write(2, 100);
  EXPECT_EQ(races(), 0u);
  write(2, 200);
  EXPECT_EQ(races(), 1u) << "written behind the event";
}

TEST_F(Streams, TheDefaultStreamOrdersBlockingStreamsOnly) {
  order_.stream_created(1, false);
  order_.stream_created(2, true);
  write(1, 100);
  write(0, 100);
  write(1, 100);
  EXPECT_EQ(races(), 0u);
  write(2, 100);
  EXPECT_NE(races(), 0u);
}

// Breaks when the default streams of two GPUs are one, an event of one orders nothing on the other, or
// waiting for one GPU is waiting for all.
TEST_F(Streams, OfSeveralGpusAreOrderedByEvents) {
  order_.select(0);
  order_.stream_created(1, false);
  order_.select(1);
  order_.stream_created(2, false);
  order_.select(0);
  write(1, 100);
  write(0, 100);
  order_.event_recorded(7, 0);
  order_.select(1);
  order_.event_waited(2, 7);
  write(2, 100);
  write(0, 100);
  EXPECT_EQ(races(), 0u);
  order_.select(0);
  write(0, 200);
  order_.select(1);
  write(0, 200);
  ASSERT_EQ(races(), 1u) << "default streams of two GPUs";
  EXPECT_NE(findings_.all()[0].message.find("the default stream of GPU 1"), std::string::npos);
  order_.host_waited_for_device();
  write(2, 300);
  order_.select(0);
  write(1, 400);
  order_.host_waited_for_device();
  order_.select(1);
  write(2, 400);
  EXPECT_EQ(races(), 1u);
  order_.select(0);
  write(1, 300);
  EXPECT_EQ(races(), 2u) << "GPU 0 was waited for";
}

// Breaks when a copy between GPUs in a default stream is a race with what both default streams did before, or
// will do.
TEST_F(Streams, CopiesBetweenGpusKeepOrderWithBothDefaultStreams) {
  order_.select(0);
  write(0, 100);
  order_.select(1);
  order_.begin(0, "copy");
  order_.keeps_order_with(0);
  order_.keeps_order_with(1);
  order_.reads(100, 4);
  order_.writes(200, 4);
  order_.end();
  order_.select(0);
  write(0, 100);
  write(0, 200);
  EXPECT_EQ(races(), 0u);
}

TEST_F(Streams, TheHostOrdersWhatItHasWaitedFor) {
  order_.stream_created(1, true);
  order_.stream_created(2, true);
  write(1, 100);
  order_.host_waited_for_stream(1);
  write(2, 100);
  EXPECT_EQ(races(), 0u);
  order_.event_recorded(3, 2);
  write(2, 200);
  order_.host_waited_for_event(3);
  write(1, 100);
  EXPECT_EQ(races(), 0u);
  write(1, 200);
  EXPECT_EQ(races(), 1u);
}

TEST_F(Streams, HostCodeThatDoesNotWaitIsSeen) {
  write(0, 100);
  order_.host_accessed(104, true);
  EXPECT_EQ(races(), 0u) << "other bytes";
  order_.host_accessed(100, false);
  ASSERT_EQ(races(), 1u);
  EXPECT_EQ(findings_.all()[0].rule, "host-access");
  EXPECT_EQ(order_.busy_pages(0, 1 << 20).size(), 1u);
  order_.host_waited_for_device();
  EXPECT_TRUE(order_.busy_pages(0, 1 << 20).empty());
  order_.host_accessed(100, true);
  EXPECT_EQ(races(), 1u);
}

// Breaks when nodes of a graph that do not depend on each other count as one after the other, when those that
// do, over any number of others, do not, or when a later launch in the stream is beside an earlier one.
TEST_F(Streams, NodesOfAGraphAreOrderedByItsEdges) {
  const auto node = [&](u64 name, const std::vector<u64>& after, u64 address) {
    order_.begin_node(0, after);
    write(0, address);
    order_.end_node(0, name);
  };
  EXPECT_FALSE(order_.watches());
  for (u64 launch = 0; launch < 2; ++launch) {
    order_.begin_graph(0, true);
    node(20, {10}, 100);
    node(21, {10}, 200);
    node(22, {20}, 300);
    node(23, {22, 21}, 100);
    node(24, {23}, 200);
    order_.end_graph(0);
    write(0, 300);
  }
  EXPECT_TRUE(order_.watches()) << "kernels must note what they touch";
  EXPECT_EQ(races(), 0u);
  order_.begin_graph(0, true);
  node(30, {}, 100);
  node(31, {}, 200);
  node(32, {31}, 100);
  order_.end_graph(0);
  ASSERT_EQ(races(), 1u);
  EXPECT_NE(findings_.all()[0].advice.find("add the dependency"), std::string::npos);
}

// Breaks when work that is two atomics is a race, or one beside a plain access is none.
TEST_F(Streams, AtomicsAreAtOddsWithPlainAccessesOnly) {
  order_.stream_created(1, true);
  order_.stream_created(2, true);
  const AddressPattern pattern{};
  const Kernel kernel;
  const auto touch = [&](u32 stream, AccessKind kind) {
    ObservedAccess access;
    access.kind = kind;
    access.mask = 1;
    access.width = 4;
    access.base = 100;
    access.pattern = &pattern;
    order_.begin(stream, "work");
    order_.access({}, access, {});
    order_.end(&kernel);
  };
  touch(1, AccessKind::kAtomic);
  touch(2, AccessKind::kAtomic);
  EXPECT_EQ(races(), 0u);
  touch(2, AccessKind::kLoad);
  EXPECT_EQ(races(), 1u);
  order_.host_waited_for_device();
  touch(1, AccessKind::kStore);
  touch(2, AccessKind::kAtomic);
  EXPECT_EQ(races(), 2u);
}

// Breaks when what was done to memory before a kernel got it is held against that kernel.
TEST_F(Streams, MemoryThatAKernelGetsIsNew) {
  order_.stream_created(1, true);
  order_.stream_created(2, true);
  write(1, 100);
  write(1, 200);
  order_.allocated(100, 4);
  write(2, 100);
  EXPECT_EQ(races(), 0u);
  write(2, 200);
  EXPECT_EQ(races(), 1u);
}

// Breaks when a way over several pieces is missed or invented, whatever was forgotten: compared with the
// ways themselves in graphs that are drawn.
TEST(PieceOrder, IsThatOfAllWays) {
  std::mt19937 draw(7);
  for (int graph = 0; graph < 200; ++graph) {
    PieceOrder order;
    std::vector<std::vector<bool>> before(1);  // by piece: all that come before it, or are it
    u64 oldest = 1;
    for (u64 piece = 1; piece <= 40; ++piece) {
      std::vector<u64> after{999};  // of no piece
      std::vector<bool> mine(piece + 1);
      mine[piece] = true;
      for (u64 earlier = 1; earlier < piece; ++earlier) {
        if (draw() % 16 != 0) continue;
        after.push_back(1000 + earlier);
        for (u64 each = 1; each <= earlier; ++each) mine[each] = mine[each] || before[earlier][each];
      }
      EXPECT_EQ(order.begin(after), piece);
      before.push_back(mine);
      const std::vector<bool> found = order.before(piece, oldest);
      for (u64 each = oldest; each <= piece; ++each) EXPECT_EQ(found[each - oldest], mine[each]);
      order.end(1000 + piece);
      if (draw() % 8 == 0) order.forget_below(oldest += draw() % (piece - oldest + 1));
    }
  }
}

TEST(RaceShadow, ForgetsTheBytesThatItIsTold) {
  RaceShadow shadow;
  const auto clock_of = [&](u64 address) {
    u64 clock = 0;
    shadow.each(address, 4, [&](RaceCell& cell, u64, u32) { clock = cell.write.clock; });
    return clock;
  };
  const u64 page = RaceShadow::kPageBytes;
  for (u64 address = page - 16; address < page + 16; address += 4)
    shadow.each(address, 4, [&](RaceCell& cell, u64, u32) { cell.write.clock = 5; });
  shadow.forget(page - 8, 12);
  EXPECT_EQ(clock_of(page - 12), 5u);
  EXPECT_EQ(clock_of(page - 8), 0u);
  EXPECT_EQ(clock_of(page), 0u);
  EXPECT_EQ(clock_of(page + 4), 5u);
  shadow.each(page + 9, 1, [&](RaceCell&, u64, u32) {});  // now a cell is a byte
  shadow.forget(page + 8, 4);
  EXPECT_EQ(clock_of(page + 8), 0u);
  EXPECT_EQ(clock_of(page + 12), 5u);
}

}  // namespace
}  // namespace roofline::sim
