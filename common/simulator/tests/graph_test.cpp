// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Executable graphs in the machine: what it refuses, in what order and at what time nodes run, what the
// session hears of them. What the API does is checked by tests/programs/graph_*.cu.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "program.h"
#include "simulator/channel/graph_order.h"
#include "simulator/channel/replies.h"
#include "simulator/channel/socket.h"
#include "simulator/host/session.h"
#include "simulator/timing/timeline.h"

namespace roofline::sim {
namespace {

using namespace channel;
using test::Folder;
using Kind = GraphNode::Kind;

GraphNode node(Kind kind, std::vector<u32> dependencies = {}) {
  GraphNode made;
  made.kind = kind;
  made.dependencies = std::move(dependencies);
  return made;
}

std::vector<std::byte> bytes_of(const GraphDefinition& graph) {
  Writer out;
  out(graph);
  return out.bytes();
}

TEST(GraphOrder, NodesFollowTheirDependencies) {
  const GraphDefinition graph{
      {node(Kind::kEmpty, {2}), node(Kind::kEmpty), node(Kind::kEmpty, {1, 3}), node(Kind::kEmpty, {1, 1})}};
  const auto read = decode_graph(bytes_of(graph));
  ASSERT_TRUE(read);
  EXPECT_EQ(execution_order(*read), (std::vector<u32>{1, 3, 2, 0}));
  EXPECT_EQ(execution_order({}), std::vector<u32>{});
}

// 0 -> 2 -> 3 and 1 -> 3: should 2 have waited for 1, then it comes too early, whichever was added first.
TEST(GraphOrder, WhatNobodyWaitsForComesLate) {
  EXPECT_EQ(execution_order({{node(Kind::kEmpty), node(Kind::kEmpty), node(Kind::kEmpty, {0}),
                              node(Kind::kEmpty, {1, 2})}}),
            (std::vector<u32>{0, 2, 1, 3}));
  EXPECT_EQ(execution_order({{node(Kind::kEmpty), node(Kind::kEmpty), node(Kind::kEmpty, {1}),
                              node(Kind::kEmpty, {0, 2})}}),
            (std::vector<u32>{1, 2, 0, 3}));
}

// Broken by: an order that nodes without edges can rely on. Twelve of them, added in reverse, are in order by
// chance once in 479 001 600 draws.
TEST(GraphOrder, WithASeedNobodyReliesOnTheOrderOfAdding) {
  GraphDefinition graph;
  graph.nodes.assign(12, node(Kind::kEmpty));
  std::vector<u32> last_first(12);
  std::iota(last_first.rbegin(), last_first.rend(), 0u);
  EXPECT_EQ(execution_order(graph), last_first);
  EXPECT_NE(execution_order(graph, 1), last_first);
  EXPECT_NE(execution_order(graph, 1), execution_order(graph, 2));
  EXPECT_EQ(execution_order(graph, 1), execution_order(graph, 1));
}

TEST(GraphOrder, CyclesAreRefused) {
  EXPECT_FALSE(execution_order({{node(Kind::kEmpty, {0})}}));
  EXPECT_FALSE(execution_order({{node(Kind::kEmpty), node(Kind::kEmpty, {2}), node(Kind::kEmpty, {1})}}));
}

TEST(GraphOrder, MalformedDefinitionsAreRefused) {
  EXPECT_FALSE(decode_graph(bytes_of({{node(Kind::kEmpty, {1})}})));      // no such node
  EXPECT_FALSE(decode_graph(bytes_of({{node(static_cast<Kind>(99))}})));  // no such kind
  auto text = bytes_of({{node(Kind::kKernel), node(Kind::kCopyIn)}});
  ASSERT_TRUE(decode_graph(text));
  for (size_t n = 0; n < text.size(); n++) EXPECT_FALSE(decode_graph(std::span(text).first(n))) << n;
  text.push_back({});
  EXPECT_FALSE(decode_graph(text));
  // More nodes than a graph may have, at nine bytes each.
  const std::vector<GraphNode> many(kMaxGraphNodes + 1);
  EXPECT_FALSE(decode_graph(bytes_of({many})));
}

/// A conditional node of the body `around`.
GraphNode conditional(std::vector<u32> bodies, u32 around = 0) {
  GraphNode made = node(Kind::kCondition);
  made.condition.bodies = std::move(bodies);
  made.body = around;
  return made;
}

GraphNode in_body(u32 body, std::vector<u32> dependencies = {}) {
  GraphNode made = node(Kind::kEmpty, std::move(dependencies));
  made.body = body;
  return made;
}

// Broken by: a definition whose bodies would run for ever, or as part of two nodes.
TEST(GraphOrder, BodiesOfConditionalNodesMakeATree) {
  EXPECT_TRUE(decode_graph(bytes_of({{conditional({1, 2}), in_body(1), conditional({3}, 2), in_body(3)}})));
  EXPECT_FALSE(decode_graph(bytes_of({{in_body(1)}}))) << "nobody's body";
  EXPECT_FALSE(decode_graph(bytes_of({{conditional({0})}}))) << "the graph itself";
  EXPECT_FALSE(decode_graph(bytes_of({{conditional({1}), conditional({1}, 1)}}))) << "in itself";
  EXPECT_FALSE(decode_graph(bytes_of({{conditional({1}), conditional({1})}}))) << "of two nodes";
  EXPECT_FALSE(decode_graph(bytes_of({{conditional({1}), in_body(1, {0})}}))) << "an edge into a body";
  GraphDefinition deep;
  for (u32 i = 0; i < 100; i++) deep.nodes.push_back(conditional({i + 1}, i));
  EXPECT_FALSE(decode_graph(bytes_of(deep)));
}

/// A program's end of the channel, without the program.
class GraphMachine : public testing::Test {
 protected:
  GraphMachine() : session_(Session::start(SIMULATOR_BUILD, {.threads = 1})) {
    std::vector<std::byte> packet;
    std::vector<Descriptor> memory;
    send(Hello{});
    EXPECT_EQ(receive_packet(session_.guest_fd(), packet, Wait::kBlock, &memory), Received::kPacket);
    void* at = mmap(nullptr, kStagingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory.at(0).get(), 0);
    staging_ = static_cast<std::byte*>(at);
  }
  ~GraphMachine() override { munmap(staging_, kStagingBytes); }

  void send(const auto& command) {
    Writer out;
    encode(out, command, 1);
    EXPECT_TRUE(send_packet(session_.guest_fd(), out.bytes(), Wait::kBlock));
  }
  template <class Reply = Nothing>
  std::pair<Outcome, Reply> ask(const auto& command) {
    send(command);
    std::vector<std::byte> packet;
    EXPECT_EQ(receive_packet(session_.guest_fd(), packet, Wait::kBlock), Received::kPacket);
    Reader in(packet);
    Header header;
    std::pair<Outcome, Reply> answer;
    in(header, answer.first);
    if (answer.first.status == Status::kOk) in(answer.second);
    return answer;
  }
  Status define(u32 graph, const GraphDefinition& definition) {
    const auto text = bytes_of(definition);
    std::memcpy(staging_, text.data(), text.size());
    return ask(DefineGraph{graph, text.size()}).first.status;
  }

  Session session_;
  std::byte* staging_ = nullptr;
};

TEST_F(GraphMachine, ImpossibleGraphsAreRefused) {
  EXPECT_EQ(ask(DefineGraph{1, ~u64{0}}).first.status, Status::kInvalidValue);
  EXPECT_EQ(ask(DefineGraph{1, 100}).first.status, Status::kInvalidValue);
  EXPECT_EQ(define(1, {{node(Kind::kEmpty, {0})}}), Status::kInvalidValue);  // a cycle
  EXPECT_EQ(define(1, {{node(Kind::kKernel)}}), Status::kInvalidValue);      // no such function
  GraphNode copy = node(Kind::kCopy);
  copy.copy = {{kDeviceWindow, ~u64{0}, ~u64{0}, ~u64{0}}, kDeviceWindow, 1, ~u64{0}, ~u64{0}, 1};
  EXPECT_EQ(define(1, {{copy}}), Status::kInvalidValue);
  copy.copy = {{kDeviceWindow, 4, 4, 1}, kDeviceWindow, 4, 1, 0, 0};
  EXPECT_EQ(define(1, {{copy}}), Status::kInvalidValue);  // nothing is allocated there
  EXPECT_EQ(define(1, {{node(Kind::kEmpty)}}), Status::kOk);
  EXPECT_EQ(ask(UpdateGraphNode{2, 0, node(Kind::kEmpty)}).first.status, Status::kInvalidHandle);
  EXPECT_EQ(ask(UpdateGraphNode{1, 1, node(Kind::kEmpty)}).first.status, Status::kInvalidValue);
  EXPECT_EQ(ask(UpdateGraphNode{1, 0, node(static_cast<Kind>(50))}).first.status, Status::kInvalidValue);
  send(LaunchGraph{7, 0, 1});
  send(LaunchGraph{1, 99, 1});
  send(UploadGraph{7, 0});
  send(DestroyGraph{7});
  EXPECT_EQ(ask(QueryMemory{}).first.deferred, Status::kInvalidHandle);
  EXPECT_EQ(session_.end_region().graph_launches, 0u);
}

/// The program has its say exactly at the host nodes, other commands are served meanwhile, and a run does not
/// go on because the program says so twice.
TEST_F(GraphMachine, RunsStopWhereTheProgramIsNeeded) {
  const u64 address = ask<Address>(Allocate{16, ""}).second.address;
  GraphNode in = node(Kind::kCopyIn), out = node(Kind::kCopyOut, {1});
  in.copy = {{address, 16, 16, 1}, 0, 16, 1, 0, 0};
  out.copy = {{0, 16, 16, 1}, address, 16, 1, 0, 0};
  ASSERT_EQ(define(3, {{in, node(Kind::kHost, {0}), out}}), Status::kOk);
  session_.begin_region();
  send(LaunchGraph{3, 0, 8});
  auto stop = ask<GraphStop>(ResumeGraph{8, 0}).second;
  EXPECT_EQ(stop.node, 0u);
  EXPECT_EQ(stop.bytes, 16u);
  EXPECT_EQ(ask(ResumeGraph{8, 5}).first.status, Status::kInvalidValue);
  std::memset(staging_, 42, 16);
  stop = ask<GraphStop>(ResumeGraph{8, 1}).second;
  EXPECT_EQ(stop.node, 1u);
  EXPECT_EQ(ask(QueryMemory{}).first.status, Status::kOk);
  EXPECT_EQ(ask<GraphStop>(ResumeGraph{8, 1}).second.node, 1u);  // still there
  std::memset(staging_, 0, 16);
  stop = ask<GraphStop>(ResumeGraph{8, 2}).second;
  EXPECT_EQ(stop.node, 2u);
  EXPECT_EQ(staging_[15], std::byte{42});
  EXPECT_FALSE(stop.done);
  EXPECT_TRUE(ask<GraphStop>(ResumeGraph{8, 3}).second.done);
  EXPECT_TRUE(ask<GraphStop>(ResumeGraph{8, 77}).second.done);  // no such run any more
  const Region region = session_.end_region();
  EXPECT_EQ(region.graph_launches, 1u);
  EXPECT_EQ(region.graph_nodes, 3u);
  EXPECT_EQ(region.host_to_device_bytes, 16u);
  EXPECT_EQ(region.device_to_host_bytes, 16u);
}

/// Memory that is freed between definition and launch is not touched.
TEST_F(GraphMachine, FreedMemoryIsNotTouched) {
  const u64 address = ask<Address>(Allocate{4096, ""}).second.address;
  GraphNode fill = node(Kind::kFill);
  fill.fill = {{address, 4096, 4096, 1}, 1, 1, 0, true};
  ASSERT_EQ(define(1, {{fill}}), Status::kOk);
  ASSERT_EQ(ask(Release{address, false}).first.status, Status::kOk);
  send(LaunchGraph{1, 0, 1});
  EXPECT_EQ(ask(QueryMemory{}).first.deferred, Status::kInvalidValue);
  EXPECT_EQ(session_.end_region().fill_bytes, 0u);
}

/// Branches overlap, copies take the copy engines, the stream goes on after the last node.
TEST(GraphTime, BranchesOverlap) {
  const DeviceDescription device = load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb");
  Timeline timeline(device);
  timeline.create_stream(1, false);
  const WorkId begin = timeline.begin_graph(1, 3);
  const double begun = timeline.host_now();
  std::vector<WorkId> nodes;
  const auto run = [&](std::vector<WorkId> after, auto&& work) {
    timeline.begin_node(std::move(after));
    work();
    nodes.push_back(timeline.end_node());
    return timeline.entries().back().end;
  };
  const auto kernel = [&] { timeline.kernel(1, "kernel", 1e-3, {0.25}); };
  const auto copy = [&] { timeline.copy(1, CopyKind::kHostToDevice, 16 << 20, false, true); };
  const double first = run({begin}, kernel), second = run({begin}, kernel);
  EXPECT_NEAR(first, second, 1e-9);
  const double copied = run({begin}, copy), copied_too = run({begin}, copy);
  EXPECT_LT(copied, first);                     // while the kernels run
  EXPECT_GT(copied_too, 1.9 * copied - begun);  // one engine a direction
  const double host = timeline.host_now();
  const double last = run({nodes[0], nodes[1]}, kernel);
  EXPECT_GE(last, first + 1e-3);
  EXPECT_EQ(timeline.host_now(), host);
  timeline.end_graph(1, begin, nodes);
  timeline.kernel(1, "after", 0);
  EXPECT_GE(timeline.entries().back().start, last);
}

/// Published for A100: copies of 64 KB follow each other every 2.62 us in a stream and every 1.34 us as nodes
/// of a graph. Seen from outside, for a program that does both.
TEST(GraphTime, ReplayIsCheaperThanLaunchesByThePublishedRatio) {
  const Folder folder;
  const auto program = test::compile(folder, "graph_speed");
  Session session = Session::start(SIMULATOR_BUILD, {.device = "a100-sxm4-40gb", .threads = 1});
  session.begin_region();
  const auto environment = test::simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())});
  const test::Result result = test::run({program}, environment, session.guest_fd());
  EXPECT_EQ(result.status, 0) << result.err << result.out;
  const Region region = session.end_region();
  constexpr size_t kSteps = 200;
  EXPECT_EQ(region.graph_launches, 5u);
  EXPECT_EQ(region.graph_nodes, 5 * kSteps);
  ASSERT_EQ(region.kernels.size(), 10 * kSteps);
  const auto pace = [&](size_t from) {  // without the first kernels, which the host's launch cost delays
    return (region.kernels[from + kSteps - 1].start - region.kernels[from + 100].start) / (kSteps - 101);
  };
  EXPECT_EQ(region.kernels[0].graph_launch, 0u);
  EXPECT_EQ(region.kernels[kSteps].graph_launch, 1u);
  EXPECT_EQ(region.kernels[9 * kSteps].graph_launch, 5u);
  // What these do beyond starting one block is not what the published ones do, which take 0.18 us.
  constexpr double kOwn = 0.18e-6;
  const DeviceDescription device = load_device(SIMULATOR_SOURCE "/devices", "a100-sxm4-40gb");
  const double work = region.kernels[0].seconds - device.block_start_latency / (device.clock_mhz * 1e6);
  const double launched = pace(8 * kSteps) - work + kOwn, replayed = pace(9 * kSteps) - work + kOwn;
  EXPECT_NEAR(launched, 2.62e-6, 0.1e-6);
  EXPECT_NEAR(replayed, 1.34e-6, 0.05e-6);
}

}  // namespace
}  // namespace roofline::sim
