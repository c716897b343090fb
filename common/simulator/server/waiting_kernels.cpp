// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernels that wait in memory for what comes after them: for host code, for a copy, for a kernel of another
// stream or GPU. Such a kernel stops where all its blocks only look, and looks again when the program asks
// whether it has ended.
#include <chrono>

#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Of one GPU; a real one holds no more kernels at a time.
constexpr size_t kMostWaiting = 128;

}  // namespace

bool Server::begin_waiting(u32 stream, std::function<void(const LetOthersGoOn*)> work) {
  if (waiting_kernels_.size() >= kMostWaiting) {  // then the next wait is a deadlock, as it may be on a GPU
    work(nullptr);
    return true;
  }
  auto waiting = std::make_unique<WaitingWork>();
  const bool ended = waiting->begin([this, work = std::move(work), waiting = waiting.get()] {
    const LetOthersGoOn others = [this, waiting](Waiting how) {
      if (!in_node_) return waiting->stop(how);
      // What others do is not part of its node.
      const WorkId node = timeline_.end_node();
      in_node_ = false;
      const Others went_on = waiting->stop(how);
      timeline_.begin_node({node}, records_.region_began());
      in_node_ = true;
      return went_on;
    };
    work(&others);
  });
  if (!ended) waiting_kernels_[stream] = std::move(waiting);
  return ended;
}

bool Server::look_again(u32 stream, Others others) {
  const auto found = waiting_kernels_.find(stream);
  if (found == waiting_kernels_.end()) return true;
  if (!found->second->go_on(others)) return false;
  waiting_kernels_.erase(found);
  return true;
}

void Server::end_waiting_kernels() {
  while (!waiting_kernels_.empty()) (void)look_again(waiting_kernels_.begin()->first, Others::kAreGone);
}

void Server::end_waiting_kernels(Board& board) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds kLong{1};
  const auto begun = Clock::now();
  for (bool any = true; any && Clock::now() - begun < kLong;) {
    any = false;
    for (const auto& gpu : board.gpus) {
      if (board.checks) board.checks->select(gpu->index_);
      for (auto next = gpu->waiting_kernels_.begin(); next != gpu->waiting_kernels_.end();) {
        const u32 stream = next++->first;  // it may be gone then
        any |= gpu->look_again(stream, Others::kWentOn) || gpu->waiting_kernels_.at(stream)->take_moved();
      }
    }
  }
  for (const auto& gpu : board.gpus) {
    if (board.checks) board.checks->select(gpu->index_);
    gpu->end_waiting_kernels();
  }
}

/// Nobody ends a wait that all wait for, unless one of them has gone on meanwhile: others may then, too.
void Server::give_up_kernels(bool all) {
  bool moved = false, host = false;
  for (const auto& gpu : board_.gpus) {
    host |= gpu->waiting_.has_value();
    for (const auto& [stream, work] : gpu->waiting_kernels_) {
      moved |= work->take_moved();
      host |= work->waits_for_host();
    }
  }
  if (moved || (host && !all)) return;
  for (auto next = waiting_kernels_.begin(); next != waiting_kernels_.end();) {
    const u32 stream = next++->first;  // it may be gone then
    (void)look_again(stream, Others::kChangeNothing);
  }
}

Answer Server::handle(const AwaitKernel& c) {
  if (sticky_ != Status::kOk) end_waiting_kernels();  // the context is dead, as on a real device
  return give(KernelState{look_again(c.stream, Others::kWentOn)});
}

}  // namespace roofline::sim::server
