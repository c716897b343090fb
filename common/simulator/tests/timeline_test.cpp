// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "timeline_fixture.h"

namespace roofline::sim {
namespace {

// Published for A100: copies of 64 KB that depend on each other, 0.18 us of their own, follow each other
// every 2.62 us in a stream and every 1.34 us as nodes of a graph.
TEST_F(TimelineTest, SmallKernelsFollowAtThePublishedPace) {
  constexpr int kKernels = 100;
  constexpr double kOwn = 0.18 * kMicro;
  timeline_.kernel(1, "first", kOwn);
  const double before = last().end;
  for (int i = 0; i < kKernels; ++i) timeline_.kernel(1, "copy", kOwn);
  EXPECT_NEAR((last().end - before) / kKernels, 2.62 * kMicro, 0.05 * kMicro);

  timeline_.synchronize_device();
  const auto node_after = [&](WorkId earlier) {
    timeline_.begin_node({earlier});
    timeline_.kernel(1, "node", kOwn);
    return timeline_.end_node();
  };
  const WorkId begin = timeline_.begin_graph(1, kKernels + 1);
  WorkId node = node_after(begin);
  const double host = timeline_.host_now(), first = last().end;
  for (int i = 0; i < kKernels; ++i) node = node_after(node);
  timeline_.end_graph(1, begin, {node});
  EXPECT_EQ(timeline_.device_end(), last().end);
  EXPECT_NEAR((last().end - first) / kKernels, 1.34 * kMicro, 0.01 * kMicro);
  EXPECT_EQ(timeline_.host_now(), host) << "nodes cost the host nothing";
}

// Broken by: kernels side by side that each have all of DRAM, or that wait for another one's end although it
// leaves them half.
TEST_F(TimelineTest, KernelsShareWhatTheyLack) {
  DeviceShare all{.block_slots = 0.1}, half{.block_slots = 0.1}, none{.block_slots = 0.1};
  all.of[DeviceShare::kDram] = 1;
  half.of[DeviceShare::kDram] = 0.5;
  none.of[DeviceShare::kFma] = 1;
  timeline_.kernel(1, "half of DRAM", 1e-3, half);
  const double first = last().end;
  timeline_.kernel(2, "all of it", 1e-3, all);  // half its pace beside the first one
  EXPECT_NEAR(last().end, first + 0.5e-3, 0.02e-3);
  timeline_.kernel(3, "arithmetic", 1e-3, none);
  EXPECT_NEAR(last().end, first, 0.02e-3);
}

// Broken by: a least pace that every kernel has, however many others run. Sixty kernels that need a twentieth
// of DRAM each have work for three times as long as one of them takes alone.
TEST_F(TimelineTest, ManySmallKernelsHaveOneDevice) {
  DeviceShare little{.block_slots = 0.01};
  little.of[DeviceShare::kDram] = 0.05;
  for (u32 stream = 1; stream <= 60; ++stream) timeline_.kernel(stream, "little", 1e-3, little);
  EXPECT_GT(timeline_.device_end(), 3e-3);
  EXPECT_LT(timeline_.device_end(), 3.4e-3);
}

// Broken by: a kernel that is slowed by DRAM and takes of other resources what it would take at its full
// pace.
TEST_F(TimelineTest, ASlowedKernelTakesLess) {
  DeviceShare half{.block_slots = 0.1}, both{.block_slots = 0.1}, arithmetic{.block_slots = 0.1};
  half.of[DeviceShare::kDram] = 0.5;
  both.of[DeviceShare::kDram] = both.of[DeviceShare::kFma] = 1;
  arithmetic.of[DeviceShare::kFma] = 1;
  timeline_.kernel(1, "half of DRAM", 1e-3, half);
  timeline_.kernel(2, "both", 1e-3, both);  // half its pace for 1 ms, then alone until 1.5
  timeline_.kernel(3, "arithmetic", 1e-3, arithmetic);
  EXPECT_NEAR(last().end, 2e-3, 0.05e-3) << "half the lanes for 1 ms, none until 1.5";
}

// Broken by: a copy within the device's memory that finds all of DRAM beside a kernel that needs all of it.
TEST_F(TimelineTest, CopiesAndKernelsShareDram) {
  DeviceShare all{.block_slots = 0.1};
  all.of[DeviceShare::kDram] = 1;
  timeline_.kernel(1, "all of it", 1e-3, all);
  const double first = last().end;
  timeline_.copy(2, CopyKind::kDeviceToDevice, 64 << 20, false, true);
  EXPECT_GT(last().end, first + 64e-6);
}

// Broken by: a graph that waited at a host function and then runs in the past, where other kernels were.
TEST_F(TimelineTest, NodesFindTheDeviceAsItWas) {
  const WorkId begin = timeline_.begin_graph(1, 1);
  timeline_.kernel(2, "before", 1e-3);
  const auto before = last();
  timeline_.synchronize_stream(2);
  timeline_.kernel(3, "later", 1e-6);
  timeline_.begin_node({begin});
  timeline_.kernel(1, "node", 0.5e-3);
  timeline_.end_graph(1, begin, {timeline_.end_node()});
  EXPECT_GE(last().start, before.end);
}

// Held out (TaxBreak, arXiv 2603.12465): from the call to the end of a null kernel on an idle device, 4.50 us
// on H200 and 4.71 us on H100.
TEST_F(TimelineTest, NullKernelOnAnIdleDevice) {
  timeline_.kernel(1, "null", 0);
  EXPECT_NEAR(last().end, 4.6 * kMicro, 0.2 * kMicro);
}

// The host runs ahead: launching does not wait for long kernels, and long kernels hide the launches.
TEST_F(TimelineTest, HostRunsAhead) {
  for (int i = 0; i < 10; ++i) timeline_.kernel(1, "long", 100 * kMicro);
  EXPECT_NEAR(timeline_.host_now(), 10 * device_.launch_us * kMicro, kTiny);
  const double each = (100 + device_.kernel_start_us + device_.kernel_gap_us) * kMicro;
  EXPECT_NEAR(timeline_.device_end(), device_.launch_us * kMicro + 10 * each, kTiny);
  EXPECT_FALSE(timeline_.stream_done(1));
  timeline_.synchronize_stream(1);
  EXPECT_TRUE(timeline_.stream_done(1));
  EXPECT_GE(timeline_.host_now(), timeline_.device_end());
}

// Breaks when the host's launch cost does not limit a sequence of independent small kernels.
TEST_F(TimelineTest, HostLimitsSmallIndependentKernels) {
  device_.launch_us = 5;
  for (int i = 0; i < 50; ++i) timeline_.kernel(1, "small", 0);
  EXPECT_NEAR(timeline_.device_end(), (50 * 5 + device_.kernel_gap_us + device_.kernel_start_us) * kMicro,
              kTiny);
}

TEST_F(TimelineTest, CopyAndKernelOverlapInTwoStreams) {
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, false, true);
  const auto copy = last();
  timeline_.kernel(2, "kernel", 1e-3);
  EXPECT_LT(last().start, copy.end);
  // In one stream they do not.
  timeline_.kernel(1, "consumer", 1e-3);
  EXPECT_GE(last().start, copy.end);
}

TEST_F(TimelineTest, DirectionsHaveTheirOwnEngines) {
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, false, true);
  const auto down = last();
  timeline_.copy(2, CopyKind::kDeviceToHost, 64 * kMega, false, true);
  EXPECT_LT(last().start, down.end) << "two directions at once";
  timeline_.copy(3, CopyKind::kHostToDevice, 64 * kMega, false, true);
  EXPECT_GE(last().start, down.end) << "one copy a direction";
}

TEST_F(TimelineTest, OneEngineTakesTurns) {
  device_.copy_engines = 1;
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, false, true);
  const auto down = last();
  timeline_.copy(2, CopyKind::kDeviceToHost, 64 * kMega, false, true);
  EXPECT_GE(last().start, down.end);
}

// Pageable memory goes through a staging buffer: the call returns only when it is done, async or not.
TEST_F(TimelineTest, PageableCopiesBlockTheHost) {
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, false, true);
  EXPECT_LT(timeline_.host_now(), last().end);
  timeline_.copy(2, CopyKind::kHostToDevice, 64 * kMega, true, true);
  EXPECT_GE(timeline_.host_now(), last().end);
  timeline_.copy(1, CopyKind::kDeviceToHost, 64 * kMega, false, false);
  EXPECT_GE(timeline_.host_now(), last().end) << "a synchronous copy blocks";
}

// Published (V100, pinned, PCIe Gen3 at 12.35 GB/s): rate at a size in bytes.
TEST_F(TimelineTest, CopyRampIsAsPublished) {
  const struct {
    u64 bytes;
    double gbps;
  } published[] = {{128 << 10, 3.46}, {256 << 10, 5.27},    {512 << 10, 7.53}, {1 << 20, 9.25},
                   {2 << 20, 10.50},  {4 << 20, 11.41},     {8 << 20, 11.86},  {16 << 20, 12.11},
                   {64 << 20, 12.29}, {u64{1} << 30, 12.35}};
  device_.pinned_gbps = 12.35;
  for (const auto& point : published) {
    timeline_.copy(1, CopyKind::kHostToDevice, point.bytes, false, true);
    const double gbps = static_cast<double>(point.bytes) / (last().end - last().start) * 1e-9;
    EXPECT_NEAR(gbps / point.gbps, 1, 0.05) << point.bytes << " bytes";
  }
}

// The legacy default stream waits for blocking streams and they wait for it; a non-blocking stream does
// neither.
TEST_F(TimelineTest, DefaultStreamSerialises) {
  timeline_.kernel(1, "in stream 1", 1e-3, {0.1});
  const auto first = last();
  timeline_.kernel(3, "non-blocking", 5e-3, {0.1});
  EXPECT_LT(last().start, first.end);
  const auto beside = last();
  timeline_.kernel(0, "default", 1e-3, {0.1});
  const auto middle = last();
  EXPECT_GE(middle.start, first.end);
  EXPECT_LT(middle.start, beside.end);
  timeline_.kernel(2, "in stream 2", 1e-3, {0.1});
  EXPECT_GE(last().start, middle.end);
  timeline_.kernel(3, "non-blocking again", 1e-3, {0.1});
  EXPECT_EQ(last().start, beside.end + device_.kernel_gap_us * kMicro) << "waits for its own stream only";
}

// Kernels run side by side while their shares of the device add up to no more than all of it.
TEST_F(TimelineTest, SmallKernelsShareTheDevice) {
  timeline_.kernel(1, "half", 1e-3, {0.5});
  const auto first = last();
  timeline_.kernel(2, "other half", 2e-3, {0.5});
  const auto second = last();
  EXPECT_LT(second.start, first.end);
  timeline_.kernel(3, "third", 1e-3, {0.3});
  EXPECT_GE(last().start, first.end) << "no room beside both halves";
  EXPECT_LT(last().start, second.end);
  timeline_.create_stream(4, true);
  timeline_.kernel(4, "whole", 1e-3);
  EXPECT_GE(last().start, second.end) << "needs the device for itself";
}

// A kernel that still waits for its stream takes no room before it starts.
TEST_F(TimelineTest, WaitingKernelsTakeNoRoom) {
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, false, true);
  timeline_.kernel(1, "waits for its copy", 1e-3);
  const auto waiting = last();
  timeline_.kernel(3, "short", 100 * kMicro);
  EXPECT_LT(last().end, waiting.start);
  timeline_.kernel(3, "too long to fit before it", 10e-3);
  EXPECT_GE(last().start, waiting.end);
}

TEST_F(TimelineTest, EventsOrderStreamsAndMeasure) {
  timeline_.record_event(1, 1);
  timeline_.kernel(1, "producer", 1e-3);
  timeline_.record_event(2, 1);
  EXPECT_NEAR(timeline_.event_time(2) - timeline_.event_time(1), 1e-3, 10 * kMicro);
  EXPECT_GT(timeline_.event_time(2) - timeline_.event_time(1), 1e-3);
  EXPECT_FALSE(timeline_.event_done(2));
  timeline_.wait_event(2, 2);
  timeline_.kernel(2, "consumer", 1e-3);
  EXPECT_GE(last().start, timeline_.event_time(2));
  timeline_.synchronize_event(2);
  EXPECT_TRUE(timeline_.event_done(2));
  EXPECT_FALSE(timeline_.stream_done(2)) << "the host waited for the event only";
  EXPECT_FALSE(timeline_.event_recorded(77));
  timeline_.wait_event(2, 77);  // an event never recorded is no work
}

// An event is where the stream stood when it was recorded: later work does not move it.
TEST_F(TimelineTest, RecordedEventStaysWhereItWas) {
  timeline_.kernel(1, "first", 1e-3);
  timeline_.record_event(1, 1);
  const double recorded = timeline_.event_time(1);
  timeline_.kernel(1, "second", 1e-3);
  EXPECT_EQ(timeline_.event_time(1), recorded);
  timeline_.record_event(1, 1);
  EXPECT_GT(timeline_.event_time(1), recorded);
}

TEST_F(TimelineTest, DestroyedStreamStillRunsItsWork) {
  timeline_.kernel(1, "kernel", 1e-3);
  const double end = last().end;
  timeline_.destroy_stream(1);
  EXPECT_EQ(timeline_.device_end(), end);
  timeline_.copy(0, CopyKind::kDeviceToDevice, 16, false, true);
  EXPECT_GE(last().start, end);
}

// Memory operations inside the device cost DRAM time: a copy reads and writes, a fill writes.
TEST_F(TimelineTest, DeviceCopiesAndFills) {
  timeline_.copy(1, CopyKind::kDeviceToDevice, 1024 * kMega, false, true);
  const double copy = last().end - last().start;
  EXPECT_NEAR(2 * 1024.0 * kMega / copy * 1e-9, 1381, 1381 * 0.01);
  timeline_.fill(1, 1024 * kMega);
  const double fill = last().end - last().start;
  EXPECT_NEAR(1024.0 * kMega / fill * 1e-9, 1503, 1503 * 0.01);
  EXPECT_LT(timeline_.host_now(), last().end) << "neither blocks the host";
}

/// One point of docs/results/measured-h200.probes.txt: a stream of such operations, microseconds each.
struct StreamOfCopies {
  double bytes, measured, within;
  std::function<void(Timeline&, u64)> operation;
};

// Breaks when small copies and fills are charged like large ones: pageable memory travels within the command,
// a copy inside the device is a kernel, a small fill is none.
TEST(SmallCopies, AsAnH200HasThem) {
  const auto h200 = load_device(SIMULATOR_SOURCE "/devices", "h200");
  const auto pageable = [](Timeline& t, u64 n) { t.copy(0, CopyKind::kHostToDevice, n, true, true); };
  const auto inside = [](Timeline& t, u64 n) { t.copy(0, CopyKind::kDeviceToDevice, n, false, true); };
  const auto fill = [](Timeline& t, u64 n) { t.fill(0, n); };
  const StreamOfCopies points[] = {
      {4, 1.21, 0.1, pageable},     {256, 1.715, 0.35, pageable}, {2048, 2.10, 0.35, pageable},
      {16384, 4.16, 0.1, pageable}, {4, 3.47, 0.2, inside},       {16384, 3.36, 0.2, inside},
      {1 << 20, 4.18, 0.3, inside}, {4, 1.04, 0.1, fill},         {256, 1.05, 0.1, fill},
      {16384, 2.78, 0.15, fill},    {1 << 20, 4.03, 0.3, fill}};
  for (const StreamOfCopies& point : points) {
    Timeline timeline(h200);
    constexpr int kMany = 200;
    for (int i = 0; i < kMany; ++i) point.operation(timeline, static_cast<u64>(point.bytes));
    const double each = timeline.entries().back().end / kMany / kMicro;
    EXPECT_NEAR(each, point.measured, point.measured * point.within) << point.bytes << " bytes";
  }
}

// What a trace is made of: every piece of work with its call, and the moments of events.
TEST_F(TimelineTest, ReportsToATrace) {
  using Kind = TraceSpan::Kind;
  timeline_.kernel(1, "before", 1e-3);
  TraceLog log;
  timeline_.set_trace(&log, 3);
  log.begin_call("copy", timeline_.host_now());
  timeline_.copy(1, CopyKind::kHostToDevice, kMega, false, true);
  log.end_call(timeline_.host_now());
  timeline_.record_event(5, 1);
  timeline_.wait_event(2, 5);
  timeline_.kernel(2, "after", 1e-3, {0.25});
  timeline_.fill(1, kMega);
  const auto& spans = log.spans();
  ASSERT_EQ(spans.size(), 6u);
  const Kind kinds[] = {Kind::kCall,      Kind::kCopyIn, Kind::kEventRecord,
                        Kind::kEventWait, Kind::kKernel, Kind::kFill};
  for (size_t i = 0; i < spans.size(); ++i) EXPECT_EQ(spans[i].kind, kinds[i]) << i;
  EXPECT_EQ(spans[1].call, spans[0].call);
  EXPECT_EQ(spans[1].device, 3u);
  EXPECT_EQ(spans[1].bytes, kMega);
  EXPECT_EQ(spans[2].end, timeline_.event_time(5));
  EXPECT_EQ(spans[3].end, timeline_.event_time(5));
  EXPECT_EQ(spans[4].name, "after");
  EXPECT_EQ(spans[4].share, 0.25);
  EXPECT_GE(spans[4].start, spans[3].end);
  EXPECT_EQ(spans[4].call, 0u) << "no call was begun";
}

// Both directions at once take as long as the longer one; a third copy waits for its direction's engine.
TEST_F(TimelineTest, BothDirectionsAtOnce) {
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, false, true);
  timeline_.copy(2, CopyKind::kDeviceToHost, 64 * kMega, false, true);
  EXPECT_LT(timeline_.device_end(), pinned(64 * kMega) + 10 * kMicro);
  timeline_.copy(3, CopyKind::kDeviceToHost, 64 * kMega, false, true);
  EXPECT_GT(timeline_.device_end(), 2 * pinned(64 * kMega));
}

// A pageable copy is slower, and what is submitted after it starts after it, in whatever stream.
TEST_F(TimelineTest, PageableCopiesOverlapNothing) {
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, false, true);
  const double quick = last().end - last().start;
  timeline_.copy(1, CopyKind::kHostToDevice, 64 * kMega, true, true);
  const auto pageable = last();
  EXPECT_GT(pageable.end - pageable.start, 1.5 * quick);
  timeline_.kernel(3, "non-blocking stream", 1e-3, {0.1});
  EXPECT_GE(last().start, pageable.end);
}

// Several devices: the host's clock is one, their work is apart, and a copy between them keeps order with
// both when it is in the default stream.
TEST_F(TimelineTest, DevicesShareTheHostsClockOnly) {
  double clock = 0;
  Timeline first(device_, clock), second(device_, clock);
  first.kernel(0, "long", 1e-3);
  EXPECT_EQ(first.host_now(), second.host_now());
  const double begun = second.host_now();
  second.kernel(0, "beside", 1e-3);
  EXPECT_LT(second.device_end(), begun + 1.1e-3) << "another device does not wait";
  first.synchronize_device();
  EXPECT_EQ(second.host_now(), first.host_now());
  EXPECT_GE(second.host_now(), 1e-3);
}
TEST_F(TimelineTest, PeerCopiesRunAtTheLinksRate) {
  double clock = 0;
  Timeline first(device_, clock), second(device_, clock);
  constexpr u64 kBytes = u64{1} << 30;
  const double expected =
      device_.peer_latency_us * kMicro + static_cast<double>(kBytes) / (device_.peer_gbps * 1e9);
  second.kernel(0, "before", 1e-3);
  const double ready = second.device_end();
  first.peer_copy(0, kBytes, first, second);
  EXPECT_NEAR(first.device_end(), ready + expected, 0.01 * expected);
  second.kernel(0, "behind", 0);
  EXPECT_GE(second.device_end(), first.device_end());
  // One link carries one copy a direction at a time, and both directions at once.
  second.create_stream(1, true);
  first.create_stream(1, true);
  const double end = first.device_end();
  first.peer_copy(1, kBytes, first, second);
  first.create_stream(2, true);
  first.peer_copy(2, kBytes, first, second);
  EXPECT_NEAR(first.device_end() - end, 2 * expected, 0.1 * expected);
  second.peer_copy(1, kBytes, second, first);
  EXPECT_LT(second.device_end(), first.device_end());
}
// Breaks when a kernel reads another device's memory for nothing, beside a copy that has the link already, or
// at the cost of the other direction.
TEST_F(TimelineTest, KernelsWaitForTheLink) {
  double clock = 0;
  Timeline first(device_, clock), second(device_, clock);
  constexpr u64 kBytes = u64{1} << 30;
  const double alone = static_cast<double>(kBytes) / (device_.peer_gbps * 1e9);
  const std::vector<Timeline::LinkUse> reads = {{&second, kBytes, 0}}, writes = {{&second, 0, kBytes}};
  first.kernel(0, "reads", 0, {1}, reads);
  EXPECT_NEAR(first.device_end(), alone, 0.01 * alone);
  first.create_stream(1, true);
  first.kernel(1, "writes", 0, {0.5}, writes);
  first.create_stream(2, true);
  second.create_stream(2, true);
  second.peer_copy(2, kBytes, second, first);  // behind the bytes that the first kernel reads
  EXPECT_NEAR(second.device_end(), 2 * alone, 0.02 * alone);
  second.create_stream(3, true);
  second.peer_copy(3, kBytes, first, second);  // behind those that the second one writes
  EXPECT_NEAR(first.device_end(), 2 * alone, 0.02 * alone) << "the whole device was the first kernel's";
  EXPECT_NEAR(second.device_end(), 3 * alone, 0.03 * alone);
}
TEST_F(TimelineTest, AStreamWaitsForAnotherDevicesEvent) {
  double clock = 0;
  Timeline first(device_, clock), second(device_, clock);
  first.kernel(0, "long", 1e-3);
  first.record_event(7, 0);
  second.create_stream(1, true);
  second.wait_for(1, 7, first);
  second.kernel(1, "behind", 0);
  EXPECT_GE(second.device_end(), first.event_time(7));
}

// Two runs of the same calls agree to the last bit.
TEST_F(TimelineTest, IsDeterministic) {
  const auto play = [&](Timeline& timeline) {
    timeline.create_stream(1, false);
    for (int i = 0; i < 100; ++i) {
      timeline.kernel(static_cast<u32>(i % 2), "k", i * kMicro, {0.01 * i});
      timeline.copy(1, CopyKind::kHostToDevice, static_cast<u64>(i) << 12, i % 3 == 0, i % 2 == 0);
    }
    return timeline.device_end();
  };
  Timeline a(device_), b(device_);
  EXPECT_EQ(play(a), play(b));
}

}  // namespace
}  // namespace roofline::sim
