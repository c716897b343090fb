// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The timeline file, from spans made by hand.
#include "simulator/timing/trace.h"

#include <gtest/gtest.h>

#include "grader/profile/tests/trace_check.h"
#include "grader/profile/trace_file.h"

namespace roofline::grader {
namespace {

using sim::TraceLog;
using sim::TraceSpan;
using Kind = TraceSpan::Kind;

constexpr double kMicro = 1e-6;

sim::DeviceDescription a100() {
  return sim::load_device(ROOFLINE_SOURCE "/common/simulator/devices", "a100-sxm4-40gb");
}

TraceSpan work(Kind kind, const std::string& name, unsigned stream, double start, double end) {
  TraceSpan span;
  span.kind = kind;
  span.name = name;
  span.stream = stream;
  span.start = start * kMicro;
  span.end = end * kMicro;
  span.bytes = 1000;
  span.share = kind == Kind::kKernel ? 0.5 : 0;
  return span;
}

TraceSpan moment(Kind kind, unsigned event, unsigned stream, double at) {
  TraceSpan span = work(kind, "", stream, at, at);
  span.event = event;
  return span;
}

sim::Trace trace_of(const TraceLog& log) { return {log.spans(), log.dropped()}; }

std::string text_of(const TraceLog& log, const sim::Region& region = {}) {
  return trace_json(trace_of(log), region, a100(), "./program");
}

/// A copy in stream 1, a kernel that waits for it in stream 2, another kernel beside the copy.
TraceLog pipeline() {
  TraceLog log;
  log.begin_call("cudaMemcpyAsync", 0);
  log.add(work(Kind::kCopyIn, "memcpy HtoD", 1, 1, 11));
  log.end_call(0.5 * kMicro);
  log.begin_call("cudaEventRecord", 0.5 * kMicro);
  log.add(moment(Kind::kEventRecord, 7, 1, 11));
  log.end_call(1 * kMicro);
  log.begin_call("cudaLaunchKernel", 1 * kMicro);
  log.add(work(Kind::kKernel, "_Z6besidev", 2, 3, 8));
  log.name_kernel(1);
  log.end_call(3 * kMicro);
  log.begin_call("cudaStreamWaitEvent", 3 * kMicro);
  log.add(moment(Kind::kEventWait, 7, 2, 11));
  log.end_call(3.5 * kMicro);
  log.begin_call("cudaLaunchKernel", 3.5 * kMicro);
  log.add(work(Kind::kKernel, "_Z5afterv", 2, 12, 20));
  log.name_kernel(2);
  log.end_call(5.5 * kMicro);
  return log;
}

TEST(Trace, TracksSlicesAndArrows) {
  const ReadTrace trace = read_trace(text_of(pipeline()));
  EXPECT_EQ(trace.processes.at(1), "host program (virtual time)");
  EXPECT_EQ(trace.processes.at(10), "GPU 0: NVIDIA A100-SXM4-40GB (simulated)");
  EXPECT_EQ(trace.on("CUDA calls").size(), 5u);
  ASSERT_EQ(trace.on("stream 1").size(), 1u);
  ASSERT_EQ(trace.on("stream 2").size(), 2u);
  EXPECT_EQ(trace.on("copy engine: host to device").size(), 1u);
  EXPECT_TRUE(trace.on("stream 1")[0].overlaps(trace.on("stream 2")[0]));
  EXPECT_EQ(trace.named("beside", "kernel").size(), 1u) << "names are readable";
  int submits = 0, events = 0;
  for (const auto& event : trace.json.at("traceEvents"))
    if (event.at("ph") == "s") (event.at("name") == "event" ? events : submits)++;
  EXPECT_EQ(submits, 3);
  EXPECT_EQ(events, 1) << "from the copy to the kernel that waited for it";
}

TEST(Trace, KernelsCarryTheirFacts) {
  sim::Region region;
  region.kernels.resize(1);
  auto& kernel = region.kernels[0];
  kernel.name = "_Z5afterv";
  kernel.ordinal = 2;
  kernel.grid = {4, 2, 1};
  kernel.block = {256, 1, 1};
  kernel.seconds = 2e-6;
  kernel.limiter = "DRAM";
  kernel.bounds = {{"DRAM", 2e-6}, {"FMA", 1e-6}};
  kernel.stalls[sim::Stall::kBarrier] = 1.5e-6;
  kernel.counters.dram_read_bytes = 2'000'000;
  kernel.counters.flops[static_cast<size_t>(sim::FlopType::kF32)] = 4'000'000;
  kernel.occupancy = {8, 64, 1.0, "grid"};
  const ReadTrace trace = read_trace(text_of(pipeline(), region));
  const auto after = trace.named("after", "kernel");
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].arguments.at("grid"), "4 x 2 x 1");
  EXPECT_EQ(after[0].arguments.at("limited by"), "DRAM");
  EXPECT_EQ(after[0].arguments.at("us by resource").at("FMA"), 1.0);
  EXPECT_EQ(after[0].arguments.at("us of a warp").at("barrier"), 1.5);
  EXPECT_EQ(after[0].arguments.at("roofline").at("FLOP per byte"), 2.0);
  EXPECT_EQ(after[0].arguments.at("roofline").at("DRAM GB/s"), 1000.0);
  EXPECT_FALSE(trace.named("beside", "kernel")[0].arguments.contains("grid")) << "no record of this one";
}

// Branches of a graph overlap in their stream: each gets a track of its own.
TEST(Trace, BranchesHaveTracks) {
  TraceLog log;
  log.begin_call("cudaGraphLaunch", 0);
  log.add(work(Kind::kKernel, "a", 1, 1, 10));
  log.add(work(Kind::kKernel, "b", 1, 2, 8));
  log.add(work(Kind::kKernel, "c", 1, 10, 12));
  log.end_call(kMicro);
  const ReadTrace trace = read_trace(text_of(log));
  EXPECT_EQ(trace.on("stream 1").size(), 2u);
  EXPECT_EQ(trace.on("stream 1, branch 2").size(), 1u);
}

TEST(Trace, SeveralDevicesAreProcesses) {
  TraceLog log = pipeline();
  TraceSpan peer = work(Kind::kCopyPeer, "memcpy PtoP", 1, 30, 40);
  peer.device = 1;
  log.add(peer);
  const ReadTrace trace = read_trace(text_of(log));
  EXPECT_EQ(trace.processes.at(11), "GPU 1: NVIDIA A100-SXM4-40GB (simulated)");
  EXPECT_EQ(trace.on("copy engine: peer").size(), 1u);
}

// Ends and starts that agree in virtual time must agree in the file, whatever the last digit is.
TEST(Trace, RoundingMakesNoOverlap) {
  TraceLog log;
  double at = 0;
  for (int i = 0; i < 1000; ++i) {
    const double end = at + 1.0 / 3 + i * 1e-4;
    log.add(work(Kind::kKernel, "k", 1, at, end));
    at = end;
  }
  read_trace(text_of(log));
}

TEST(Trace, CallsThatDidNothingAreLeftOut) {
  TraceLog log;
  log.begin_call("cudaEventQuery", 1);
  log.end_call(1);
  log.begin_call("cudaMalloc", 1);
  log.end_call(2);
  ASSERT_EQ(log.spans().size(), 1u);
  EXPECT_EQ(log.spans()[0].name, "cudaMalloc");
  EXPECT_EQ(log.spans()[0].call, 1u);
}

// A long program fills the log, not the memory; the file says that something is missing.
TEST(Trace, IsBoundedAndSaysSo) {
  TraceLog log;
  for (size_t i = 0; i < sim::kMaxTraceSpans; ++i) {
    log.begin_call("cudaLaunchKernel", static_cast<double>(i));
    log.add(work(Kind::kKernel, "k", 1, 1e6 * static_cast<double>(i), 1e6 * static_cast<double>(i) + 1));
    log.end_call(static_cast<double>(i) + 0.5);
  }
  EXPECT_EQ(log.spans().size(), sim::kMaxTraceSpans);
  EXPECT_EQ(log.dropped(), sim::kMaxTraceSpans);
  const std::string text = trace_json({{}, log.dropped()}, {}, a100(), "./program");
  EXPECT_NE(text.find("200000 later calls"), std::string::npos);
}

TEST(Trace, SameSpansSameBytes) { EXPECT_EQ(text_of(pipeline()), text_of(pipeline())); }

// Names come from the program: whatever they hold, the file stays JSON.
TEST(Trace, HostileNamesStayJson) {
  TraceLog log;
  log.add(work(Kind::kKernel, "a\"b\\\n\xff\x01", 1, 1, 2));
  const auto json = nlohmann::json::parse(trace_json(trace_of(log), {}, a100(), "./\"\xff\n"));
  EXPECT_GT(json.at("traceEvents").size(), 5u);
}

}  // namespace
}  // namespace roofline::grader
