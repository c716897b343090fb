// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/run_merger.h"

#include <utility>

namespace roofline::sim {

void RunMerger::wait_for_window(u64 share) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return cancelled_ || share < next_ + kWindow; });
}

void RunMerger::wait_for_turn(u64 share) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return cancelled_ || share == next_; });
}

void RunMerger::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  moved_.notify_all();
}

void RunMerger::finished(u64 share, Left& left) {
  std::unique_lock lock(mutex_);
  std::swap(waiting_[share], left);
  if (!spare_.empty()) {
    std::swap(left, spare_.back());
    spare_.pop_back();
  }
  if (merging_) return;  // the thread that merges now will take it
  merging_ = true;
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    Left oldest = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    lock.unlock();
    l2_.access(oldest.runs.data(), oldest.runs.size(), traffic_);
    oldest.runs.clear();
    oldest.atomics.apply_all();
    lock.lock();
    spare_.push_back(std::move(oldest));
    ++next_;
    moved_.notify_all();
  }
  merging_ = false;
}

}  // namespace roofline::sim
