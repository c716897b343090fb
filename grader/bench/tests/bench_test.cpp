// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "grader/bench/bench_figure.h"
#include "grader/bench/recorded.h"
#include "grader/judge/one_time.h"

namespace roofline::grader {
namespace {

using Span = sim::TraceSpan;

Span span(Span::Kind kind, const std::string& name, double start_us, double end_us, std::uint64_t call) {
  Span result;
  result.kind = kind;
  result.name = name;
  result.start = start_us * 1e-6;
  result.end = end_us * 1e-6;
  result.call = call;
  return result;
}

/// A graph that is made, launched, and waited for.
sim::Trace graph_trace() {
  sim::Trace trace;
  trace.spans = {span(Span::Kind::kCall, "cudaGraphInstantiate", 0, 30, 1),
                 span(Span::Kind::kCall, "cudaGraphUpload", 30, 30.5, 2),
                 span(Span::Kind::kCall, "cudaGraphLaunch", 40, 42.5, 3),
                 span(Span::Kind::kKernel, "diffuse", 43, 44, 3),
                 span(Span::Kind::kKernel, "react", 44.5, 45.5, 3),
                 span(Span::Kind::kCall, "cudaStreamSynchronize", 42.5, 49, 4)};
  return trace;
}

Bench bench() {
  Bench result;
  result.title = "doubling";
  result.argument = "n";
  result.values = {1, 2, 4, 8};
  result.unit = "us a step";
  result.timeline_at = 4;
  result.timeline_us = 10;
  return result;
}

BenchCurve curve(const std::string& name, std::vector<double> us) {
  BenchCurve result;
  result.name = name;
  result.us = std::move(us);
  return result;
}

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(OneTime, TakesTheFirstOfEachFromTheTimeline) {
  const auto costs = one_time_costs(graph_trace());
  ASSERT_EQ(costs.size(), 3U);
  EXPECT_EQ(costs[0].what, "instantiation");
  EXPECT_NEAR(costs[0].us, 30, 1e-9);
  EXPECT_NEAR(costs[1].us, 0.5, 1e-9);
  EXPECT_EQ(costs[2].what, "first launch");
  EXPECT_NEAR(costs[2].us, 3, 1e-9);  // from the call to the first node
  EXPECT_TRUE(one_time_costs({}).empty());
}

// A doubling that costs 10 % and more is the first that says that there was work to do.
TEST(DoublingTest, NamesTheLastSizeThatWasOverhead) {
  const Doubling found = first_costly_doubling(bench(), curve("graph", {10, 10.5, 11.4, 20}), 0.10);
  EXPECT_DOUBLE_EQ(found.value, 4);
  EXPECT_NEAR(found.growth, 20 / 11.4 - 1, 1e-12);
  EXPECT_DOUBLE_EQ(first_costly_doubling(bench(), curve("graph", {10, 10, 10, 10}), 0.10).growth, 0);
  EXPECT_DOUBLE_EQ(first_costly_doubling(bench(), curve("graph", {10, 12}), 0.10).value, 1);
  EXPECT_DOUBLE_EQ(first_costly_doubling(bench(), curve("broken", {}), 0.10).growth, 0);
}

TEST(BenchFigure, DrawsACurveForEachVersionThatRan) {
  DeviceRecord device;
  device.name = "NVIDIA H200";
  const std::string svg = bench_svg(
      bench(), {curve("stream", {20, 20, 21, 30}), curve("graph", {10, 10, 11, 20}), curve("yours", {})},
      device);
  EXPECT_EQ(count(svg, "<polyline"), 2U);
  EXPECT_EQ(count(svg, "<circle"), 8U);
  EXPECT_NE(svg.find("simulated NVIDIA H200, modelled"), std::string::npos);
  EXPECT_TRUE(bench_svg(bench(), {curve("yours", {})}, device).empty());
}

// Begins at the first launch; what happened before it, and after the window, is not drawn.
TEST(BenchFigure, DrawsTimelinesFromTheFirstLaunchOn) {
  BenchCurve graph = curve("graph", {});
  graph.timeline = graph_trace();
  DeviceRecord device;
  const std::string svg = timeline_svg(bench(), {graph, curve("yours", {})}, device);
  EXPECT_EQ(count(svg, "class=\"call\""), 1U);
  EXPECT_EQ(count(svg, "class=\"wait\""), 1U);
  EXPECT_EQ(count(svg, "class=\"kernel\""), 2U);
  EXPECT_NE(svg.find("graph: 2 kernels"), std::string::npos);
  EXPECT_TRUE(timeline_svg(bench(), {curve("yours", {})}, device).empty());
}

// Breaks when a student's copy shows another version's time, or the files of docs/results change their form.
TEST(Recorded, TheSlowestVersionOfAWork) {
  const std::filesystem::path results = std::filesystem::path(ROOFLINE_SOURCE) / "docs" / "results";
  for (const char* device : {"a100-sxm4-40gb", "h200"}) {
    const auto file = results / (std::string("simulated-") + device + ".bench.json");
    const auto naive = slowest_recorded(file, "01/bandwidth");
    ASSERT_TRUE(naive) << file;
    EXPECT_GT(naive->us, 1.5 * naive->limit_us());
    EXPECT_LT(naive->fraction, 0.6);
    EXPECT_FALSE(slowest_recorded(file, "01/band"));
  }
  EXPECT_FALSE(slowest_recorded(results / "none.json", "01/bandwidth"));
}

}  // namespace
}  // namespace roofline::grader
