// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/lab/spec.h"

#include <array>
#include <cmath>

namespace roofline::grader {
namespace {

// One call: three runs of steps, steps + 1 and steps + 2 steps, with an input and a dt each
// (launch_worker.cu).
constexpr std::size_t kRuns = 3;
constexpr double kKernelsAStep = 20;
const std::array<std::string, kRuns> kSteps = {"dt0", "dt1", "dt2"};

double steps_in_all(const Settings& s) { return kRuns * s["steps"] + 3; }
double kernels(const Settings& s) { return kKernelsAStep * steps_in_all(s); }
double three_states(const Settings& s) { return kRuns * s["n"]; }

/// A piece of the ring and what the roundings so far can have added to it, in units of u.
struct Piece {
  std::vector<Expected> points;
  const Expected& operator[](std::size_t i) const { return points[i]; }
};

/// du/dt for all points of a piece but the first and the last; its magnitude is that of its own roundings.
Piece slope(const Piece& in) {
  Piece k;
  for (std::size_t i = 1; i + 1 < in.points.size(); ++i) {
    const double v = in[i].value, left = in[i - 1].value, right = in[i + 1].value, cube = v * v * v;
    k.points.push_back(
        {left - 2 * v + right + v - cube,
         2 * (std::abs(left) + 2 * std::abs(v) + std::abs(right)) + std::abs(v) + 3 * std::abs(cube)});
  }
  return k;
}

/// base + factor * k, where k has `less` points fewer on either side.
Piece plus(const Piece& base, double factor, const Piece& k) {
  const std::size_t less = (base.points.size() - k.points.size()) / 2;
  Piece sum;
  for (std::size_t i = 0; i < k.points.size(); ++i) {
    const Expected& b = base[i + less];
    const double value = b.value + factor * k[i].value;
    sum.points.push_back(
        {value, b.magnitude + factor * (k[i].magnitude + 2 * std::abs(k[i].value)) + std::abs(value)});
  }
  return sum;
}

/// One step; four points are lost on either side. The equation lets a difference grow by e^dt at most.
Piece step(const Piece& u, double dt) {
  const Piece k1 = slope(u), k2 = slope(plus(u, dt / 2, k1)), k3 = slope(plus(u, dt / 2, k2)),
              k4 = slope(plus(u, dt, k3));
  Piece next = plus(plus(plus(plus(u, dt / 6, k1), dt / 3, k2), dt / 3, k3), dt / 6, k4);
  for (Expected& point : next.points) point.magnitude *= std::exp(dt);
  return next;
}

void advanced(const CallView& call, std::uint64_t begin, std::uint64_t end, Expected* expected) {
  const auto x = call.input<float>("x");
  const std::uint64_t n = x.size() / kRuns;
  while (begin < end) {
    const std::uint64_t run = begin / n, last = std::min(end, (run + 1) * n);
    const auto steps = static_cast<std::uint64_t>(call.scalar("steps")) + run;
    const double dt = call.scalar(kSteps[run]);
    // A point depends on four neighbours on either side a step.
    const std::uint64_t reach = 4 * steps, around = (reach + n - 1) / n * n;
    Piece u;
    for (std::uint64_t i = 0; i < last - begin + 2 * reach; ++i)
      u.points.push_back({x[run * n + (begin - run * n + i + around - reach) % n], 0});
    for (std::uint64_t k = 0; k < steps; ++k) u = step(u, dt);
    for (const Expected& point : u.points) *expected++ = {point.value, point.magnitude};
    begin = last;
  }
}

Case sized(std::uint64_t n, int steps) {
  const std::string size = std::to_string(n), count = std::to_string(steps);
  return {.id = "n-" + size + "-steps-" + count,
          .title = "n = " + size + ", " + count + " steps and more",
          .settings = {{"n", static_cast<double>(n)}, {"steps", steps}}};
}

/// The two solvers run one after the other with the same dt: what one remembers of it, the other does not.
Case same_dt() {
  Case one = sized(512, 2);
  one.id = "same-dt";
  one.title = "two solvers, the same dt in turn";
  one.tells = "what solvers share";
  for (const std::string& dt : kSteps) one.settings.emplace_back(dt, 0.05);
  return one;
}

NamedValues timed() { return {{"n", 16384}, {"steps", 7}}; }

Goal against(std::string id, std::string title, std::string roof, ThresholdTable thresholds) {
  return {.id = std::move(id),
          .title = std::move(title),
          .settings = timed(),
          .roof = std::move(roof),
          .work = kernels,
          // A step is four slopes of seven operations and what is added up of them, in any number of kernels.
          .flops = [](const Settings& s) { return 42 * s["n"] * steps_in_all(s); },
          .thresholds = std::move(thresholds),
          .clock = Clock::kHost};
}

Thresholds at_least(double ratio) { return {.pass = ratio, .good = ratio, .excellent = ratio}; }

}  // namespace

Lab ROOFLINE_LAB_SPEC() {
  return {
      .title = "launch: when the machine waits for you",
      .parts = {{
          .program = {.header = "launch.h",
                      .source = "launch.cu",
                      .function = "run",
                      .arguments = {in("x", three_states), out("y", three_states), size("steps", Type::kS32),
                                    between(0.02, 0.1, scalar("dt0")), between(0.02, 0.1, scalar("dt1")),
                                    between(0.02, 0.1, scalar("dt2")), size("n"), stream()},
                      .outputs = {{.argument = "y", .reference = advanced, .tolerance = {.c = 2}}}},
          .cases = {sized(1, 1), sized(2, 3), sized(31, 2), sized(255, 1), sized(256, 3), sized(257, 0),
                    sized(1023, 4), sized(4099, 2), sized(20000, 0), same_dt()},
          .goals = {against("node", "20 kernels a step, beside nodes of a straight graph", "graph-node",
                            {{0, {.pass = 0.70, .good = 0.80, .excellent = 0.85}}}),
                    // Published for kernels of 64 KiB: A100 2.62 us in a stream and 1.34 in a graph, GH200
                    // 2.47 and 2.2 (gpu-benches, gpu-small-kernels).
                    against("stream", "times as fast as plain stream order", "stream-launch",
                            {{0, at_least(1.4)}, {90, at_least(1.08)}, {120, at_least(1.4)}}),
                    against("given", "times as fast as the given version", "launch-and-wait",
                            {{0, at_least(2.5)}})},
          .structure = {no_new_graph()},
          .steps = {{.id = "right",
                     .title = "right, also when dt changes and two solvers take turns",
                     .how =
                         "The given version is right. Whatever you change, run(dt) must use this run's dt.",
                     .measurement = "given"},
                    {.id = "stream",
                     .title = "stream order: the host does not wait for each kernel",
                     .how = "The kernels of a stream run one after the other anyway: wait once, at the end.",
                     .measurement = "given",
                     .at_least = 2.5},
                    {.id = "graph",
                     .title = "a graph, instantiated once, in which dt is updated",
                     .how =
                         "Capture the step in prepare, and set the parameters of its nodes before each run.",
                     .measurement = "node",
                     .at_least = 0.70,
                     .checks = {"instantiated-once"}},
                    {.id = "branches",
                     .title = "beyond a straight line: fewer nodes wait for each other",
                     .how =
                         "Which kernels of a step need not wait for each other? Fork the capture, or let one "
                         "graph hold several steps.",
                     .measurement = "node",
                     .at_least = 1.0,
                     .checks = {"instantiated-once"}},
                    {.id = "fused",
                     .title = "fused: 20 kernels become a few",
                     .how = "A kernel may compute several slopes of a few more points than it writes.",
                     .measurement = "node",
                     .at_least = 3}},
          .bench = Bench{.title = "The doubling test: one step of 20 kernels",
                         .argument = "n",
                         .values = {1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17,
                                    1 << 18, 1 << 19, 1 << 20},
                         .settings = {{"steps", 1}},
                         .work = steps_in_all,
                         .unit = "us a step",
                         .timeline_at = 1 << 14,
                         .timeline_us = 180,
                         .versions = {{"sync after each", "wrong/sync-each.cu"},
                                      {"stream order", "wrong/stream-order.cu"},
                                      {"graph", "launch.cu"},
                                      {"fused", "variants/4-fused.cu"},
                                      {"yours", ""}}},
          .predictions =
              {{.key = "stream_us",
                .question = "A100: one step of 20 kernels in a stream, 2.62 us from one to the next",
                .expected = 52.4,
                .factor = 1.05,
                .unit = "us"},
               {.key = "graph_us",
                .question = "and as nodes of a graph, 1.34 us from one to the next",
                .expected = 26.8,
                .factor = 1.05,
                .unit = "us"},
               {.key = "break_even",
                .question = "replays after which a graph that cost 400 us once has paid for itself",
                .expected = 15.6,
                .factor = 2},
               {.key = "regime", .question = "compute, memory or overhead?", .word = "overhead"},
               {.key = "idle_flops",
                .question = "FLOPs that the A100's Tensor Cores (312 TFLOP/s) could do in the time of one "
                            "operation of PyTorch (280 000 a second)",
                .expected = 1.114e9,
                .factor = 1.1}},
          .prepares = true,
          .adapter = "launch_worker.cu",
          .given = {"chain.h", "state.h"},
      }}};
}

}  // namespace roofline::grader
