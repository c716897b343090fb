// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Kernels of more urgent streams go before others, and what the host has seen stays.
#include <gtest/gtest.h>

#include "timeline_fixture.h"

namespace roofline::sim {
namespace {

using TimelinePriorities = TimelineTest;

// Broken by: kernels that start in the order of their submission, whatever their streams' priorities are. A
// running kernel is not interrupted; one that waits makes room, and all that comes after it moves.
TEST_F(TimelinePriorities, AnUrgentKernelGoesBeforeThoseThatWait) {
  constexpr KernelOrder kUrgent{.priority = -1, .waves = 1, .kernel = 3};
  timeline_.kernel(1, "runs", 1e-3, {}, {}, {.kernel = 1});
  const double runs_until = last().end;
  timeline_.kernel(2, "waits", 1e-3, {}, {}, {.kernel = 2});
  timeline_.record_event(7, 2);
  timeline_.copy(2, CopyKind::kDeviceToHost, kMega, false, true);
  timeline_.kernel(3, "urgent", 2e-3, {}, {}, kUrgent);
  const TimelineEntry urgent = last();
  EXPECT_NEAR(urgent.start, runs_until, kTiny);
  const auto moved = timeline_.moved_kernels();
  EXPECT_FALSE(moved.contains(1));
  EXPECT_NEAR(moved.at(2).start, urgent.end, 10 * kMicro);
  EXPECT_EQ(timeline_.event_time(7), moved.at(2).end);
  EXPECT_NEAR(timeline_.device_end(), moved.at(2).end + pinned(kMega), 1 * kMicro);
}

// Broken by: a kernel of many blocks that an urgent one must wait for to the end, or whose work is lost when
// it makes room.
TEST_F(TimelinePriorities, AKernelMakesRoomBetweenTwoTurnsOfItsBlocks) {
  timeline_.kernel(1, "ten turns", 10e-3, {}, {}, {.waves = 10, .kernel = 1});
  const TimelineEntry alone = last();
  timeline_.host_call(2500);  // its third turn
  timeline_.kernel(3, "urgent", 1e-3, {}, {}, {.priority = -1, .kernel = 2});
  const double turn = (alone.end - alone.start) / 10;
  EXPECT_NEAR(last().start, alone.start + 3 * turn, kTiny);
  const Span moved = timeline_.moved_kernels().at(1);
  EXPECT_EQ(moved.start, alone.start);
  EXPECT_NEAR(moved.end, alone.end + (last().end - last().start), 10 * kMicro);
  EXPECT_EQ(timeline_.device_end(), moved.end);
}

// Broken by: a kernel that was to make room later, moves before it has begun, and keeps its first start.
TEST_F(TimelinePriorities, APartThatHasNotBegunMovesWithItsKernel) {
  timeline_.create_stream(4, true);
  timeline_.kernel(1, "runs", 1e-3);
  timeline_.kernel(2, "ten turns", 10e-3, {}, {}, {.waves = 10, .kernel = 1});
  timeline_.copy(3, CopyKind::kHostToDevice, 100 * kMega, false, true);
  timeline_.kernel(3, "urgent after a copy", 1e-3, {}, {}, {.priority = -1, .kernel = 2});
  const double between = last().start;
  EXPECT_GT(between, 4e-3);
  timeline_.kernel(4, "urgent", 1e-3, {}, {}, {.priority = -1, .kernel = 3});
  EXPECT_LT(last().end, between);
  EXPECT_NEAR(timeline_.moved_kernels().at(1).start, last().end, 10 * kMicro);
}

// Broken by: an urgent kernel that moves what is as urgent as it, or work that it comes after.
TEST_F(TimelinePriorities, OnlyLessUrgentKernelsMakeRoom) {
  constexpr KernelOrder kUrgent{.priority = -1, .waves = 10, .kernel = 1};
  timeline_.kernel(1, "urgent", 10e-3, {}, {}, kUrgent);
  const double end = last().end;
  timeline_.kernel(3, "as urgent", 1e-3, {}, {}, {.priority = -1, .kernel = 2});
  EXPECT_NEAR(last().start, end, kTiny);
  timeline_.kernel(2, "patient", 1e-3, {}, {}, {.waves = 10, .kernel = 3});
  const double patient = last().end;
  timeline_.kernel(2, "behind it", 1e-3, {}, {}, {.priority = -1, .kernel = 4});
  EXPECT_GE(last().start, patient);
  EXPECT_TRUE(timeline_.moved_kernels().empty());
}

// Broken by: work that moves although the host knows when it ends.
TEST_F(TimelinePriorities, WhatTheHostHasSeenStays) {
  timeline_.kernel(1, "seen", 1e-3, {}, {}, {.kernel = 1});
  const double end = last().end;
  timeline_.kernel(1, "waits", 1e-3, {}, {}, {.kernel = 2});
  timeline_.synchronize_device();
  timeline_.kernel(3, "urgent", 1e-3, {}, {}, {.priority = -1, .kernel = 3});
  EXPECT_GE(last().start, end + 1e-3);
  EXPECT_TRUE(timeline_.moved_kernels().empty());
}

// Broken by: priorities of kernels that count in streams only.
TEST_F(TimelinePriorities, UrgentNodesGoFirst) {
  const WorkId begin = timeline_.begin_graph(1, 3);
  std::vector<WorkId> nodes;
  const auto node = [&](std::vector<WorkId> after, const KernelOrder& order) {
    timeline_.begin_node(std::move(after));
    timeline_.kernel(1, "node", 1e-3, {}, {}, order);
    nodes.push_back(timeline_.end_node());
    return last();
  };
  node({begin}, {.kernel = 1});
  node({begin}, {.kernel = 2});
  node({nodes[1]}, {.kernel = 3});
  const TimelineEntry urgent = node({begin}, {.priority = -1, .kernel = 4});
  timeline_.end_graph(1, begin, nodes);
  const auto moved = timeline_.moved_kernels();
  EXPECT_GE(moved.at(1).start, urgent.end);
  EXPECT_GE(moved.at(2).start, moved.at(1).end);
  EXPECT_GE(moved.at(3).start, moved.at(2).end);
  EXPECT_EQ(timeline_.device_end(), moved.at(3).end);
}

}  // namespace
}  // namespace roofline::sim
