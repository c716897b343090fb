// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What kernels launch themselves (CUDA dynamic parallelism). A kernel's work runs when its grid has ended,
// in the order in which it was asked for, each piece with everything that it launches in turn; that keeps
// every order of streams and events, as these follow the same order. On the timeline pieces run as the
// nodes of a graph do: as soon as what they come after has ended.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "simulator/names.h"
#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Kernels that wait for kernels that they launched. A recursion that ends is far from it.
constexpr size_t kMostNested = 10000;

}  // namespace

/// A grid that has ended, and waits for what it launched.
struct Server::Launcher {
  Launched by;
  WorkId begin = 0;          ///< the grid's own end
  std::vector<WorkId> ends;  ///< of the pieces that are done, with what these launched

  const DeviceWork& next() const { return by.work[ends.size()]; }
  bool is_done() const { return ends.size() == by.work.size(); }
  /// What the next piece comes after.
  std::vector<WorkId> before_next() const {
    std::vector<WorkId> before{begin};
    if (next().is_tail)
      before.insert(before.end(), ends.begin(), ends.end());
    else
      for (const size_t place : next().after) before.push_back(ends[place]);
    return before;
  }
};

void Server::run_device_work(Launched first, Submission submission) {
  // Inside a node of a graph the work is part of the node. Elsewhere it is a graph that costs the host
  // nothing: it does not launch it.
  const bool in_node = submission.graph_launch != 0;
  if (!in_node) timeline_.host_call(-description_.graph_launch_us);
  if (in_node && checks_) checks_->streams().work_forks();
  const WorkId begin = in_node ? end_node(submission.stream) : begin_graph(submission.stream, 0, true, 0);
  const auto kernels_among = [](const std::vector<DeviceWork>& list) {
    return static_cast<u64>(std::count_if(list.begin(), list.end(), [](const DeviceWork& each) {
      return each.kind == DeviceWork::Kind::kKernel;
    }));
  };
  submission.waiting = kernels_among(first.work);
  std::vector<Launcher> launchers;
  launchers.push_back({std::move(first), begin, {}});
  std::vector<WorkId> end;
  const auto stop = [&](TrapKind kind, const std::string& why) {
    Trap trap;
    trap.kind = kind;
    trap.kernel = launchers.back().by.kernel;
    trap.message = "kernel '" + readable_name(trap.kernel) + "': " + why;
    fault(trap);
  };
  const auto begun = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  for (;;) {
    Launcher& launcher = launchers.back();
    if (sticky_ != Status::kOk || launcher.is_done()) {
      std::vector<WorkId> all = std::move(launcher.ends);
      all.push_back(launcher.begin);
      launchers.pop_back();
      if (launchers.empty()) {
        end = std::move(all);
        break;
      }
      begin_node(submission.stream, std::move(all));
      launchers.back().ends.push_back(end_node(submission.stream));
      continue;
    }
    begin_node(submission.stream, launcher.before_next());
    DeviceWork piece = std::move(launcher.by.work[launcher.ends.size()]);
    if (piece.kind == DeviceWork::Kind::kKernel) submission.waiting--;
    submission.launched_by = launcher.by.kernel;
    Launched launched = run_piece(piece, submission);
    const WorkId ended = end_node(submission.stream);
    if (launched.work.empty()) {
      launcher.ends.push_back(ended);
      continue;
    }
    submission.waiting += kernels_among(launched.work);
    Launcher next{std::move(launched), ended, {}};
    // Where the last tail launch is all that is left to wait for, its launcher need not.
    const bool is_last = piece.is_tail && launcher.ends.size() + 1 == launcher.by.work.size();
    if (is_last)
      launcher = std::move(next);
    else
      launchers.push_back(std::move(next));
    if (launchers.size() > kMostNested)
      stop(TrapKind::kTrap, std::to_string(kMostNested) +
                                " kernels wait for kernels that they launched: does the recursion ever end?");
    else if (options_.time_limit > 0 && seconds() > options_.time_limit)
      stop(TrapKind::kTimeout, "kernels that launch kernels did not end within the time limit of a kernel");
  }
  if (in_node)
    begin_node(submission.stream, std::move(end));  // whoever runs the node ends it
  else
    end_graph(submission.stream, begin, std::move(end));
}

/// A copy or a fill, as a node of a graph does it; false when its memory was freed.
bool Server::move_bytes(const DeviceWork& work, u32 stream) {
  const GraphCopy copy{{work.to.address, work.to.pitch, work.bytes, work.rows},
                       work.from.address,
                       work.from.pitch,
                       work.slices,
                       work.to.slice,
                       work.from.slice};
  if (work.kind == DeviceWork::Kind::kCopy) {
    if (!is_valid(copy, GraphNode::Kind::kCopy)) return false;
    copy_within(copy, stream);
    return true;
  }
  for (u64 slice = 0; slice < work.slices; slice++)
    if (const u64 at = work.to.address + slice * work.to.slice;
        !is_valid(Rectangle{at, work.to.pitch, work.bytes, work.rows}))
      return false;
  for (u64 slice = 0; slice < work.slices; slice++) {
    const u64 at = work.to.address + slice * work.to.slice;
    fill({.to = {at, work.to.pitch, work.bytes, work.rows}, .value = work.value}, stream);
  }
  return true;
}

Server::Launched Server::run_piece(const DeviceWork& work, const Submission& submission) {
  switch (work.kind) {
    case DeviceWork::Kind::kKernel:
      return run_grid(work.launch, submission);
    case DeviceWork::Kind::kCopy:
    case DeviceWork::Kind::kFill:
      if (move_bytes(work, submission.stream)) return {};
      break;
  }
  Trap trap;
  trap.kind = TrapKind::kIllegalAddress;
  trap.kernel = submission.launched_by;
  trap.message = "kernel '" + readable_name(trap.kernel) +
                 "': memory of a copy or fill that it launched was freed before that ran";
  fault(trap);
  return {};
}

}  // namespace roofline::sim::server
