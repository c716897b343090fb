// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernels that wait in memory for what comes after them: for host code, for a copy, for a kernel of another
// stream or GPU. Such a kernel stops where all its blocks only look, and looks again when the program asks
// whether it has ended.
#include <algorithm>
#include <chrono>

#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Of one GPU; a real one holds no more kernels at a time.
constexpr size_t kMostWaiting = 128;

}  // namespace

bool Server::begin_waiting(u32 stream, std::optional<ModuleId> module,
                           std::function<void(const LetOthersGoOn*)> work) {
  if (waiting_kernels_.size() >= kMostWaiting) {  // then the next wait is a deadlock, as it may be on a GPU
    work(nullptr);
    return true;
  }
  auto waiting = std::make_unique<WaitingWork>();
  const bool ended = waiting->begin([this, work = std::move(work), waiting = waiting.get()] {
    const LetOthersGoOn others = [this, waiting](bool moved) {
      if (!in_node_) return waiting->stop(moved);
      // What others do is not part of its node.
      const WorkId node = timeline_.end_node();
      in_node_ = false;
      const Others went_on = waiting->stop(moved);
      timeline_.begin_node({node}, records_.region_began());
      in_node_ = true;
      return went_on;
    };
    work(&others);
  });
  if (!ended) waiting_kernels_[stream] = {std::move(waiting), module};
  return ended;
}

bool Server::look_again(u32 stream, Others others) {
  const auto found = waiting_kernels_.find(stream);
  if (found == waiting_kernels_.end()) return true;
  if (!found->second.work->go_on(others)) return false;
  waiting_kernels_.erase(found);
  return true;
}

void Server::end_waiting_kernels() {
  while (!waiting_kernels_.empty()) (void)look_again(waiting_kernels_.begin()->first, Others::kAreGone);
}

void Server::end_kernels_of(ModuleId module) {
  const bool any = std::ranges::any_of(
      waiting_kernels_, [&](const auto& entry) { return entry.second.module.value_or(module) == module; });
  if (any) end_waiting_kernels();
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
        any |=
            gpu->look_again(stream, Others::kWentOn) || gpu->waiting_kernels_.at(stream).work->take_moved();
      }
    }
  }
  for (const auto& gpu : board.gpus) {
    if (board.checks) board.checks->select(gpu->index_);
    gpu->end_waiting_kernels();
  }
}

void Server::give_up_kernels() {
  for (auto next = waiting_kernels_.begin(); next != waiting_kernels_.end();) {
    const u32 stream = next++->first;  // it may be gone then
    (void)look_again(stream, Others::kChangeNothing);
  }
}

Answer Server::handle(const GiveUpWaiting&) {
  bool moved = false;
  for (const auto& gpu : board_.gpus)
    for (const auto& [stream, kernel] : gpu->waiting_kernels_) moved |= kernel.work->take_moved();
  if (moved) return {};  // one that has gone on meanwhile may end what others wait for
  for (const auto& gpu : board_.gpus) {
    if (checks_) checks_->select(gpu->index_);
    gpu->give_up_kernels();
    gpu->give_up_word();
  }
  return {};
}

Answer Server::handle(const AwaitKernel& c) {
  if (sticky_ != Status::kOk) end_waiting_kernels();  // the context is dead, as on a real device
  return give(KernelState{look_again(c.stream, Others::kWentOn)});
}

}  // namespace roofline::sim::server
