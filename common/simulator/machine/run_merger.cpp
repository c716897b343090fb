// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/run_merger.h"

namespace roofline::sim {

void RunMerger::wait_for_window(u64 share) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return cancelled_ || share < next_ + kWindow; });
}

void RunMerger::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  moved_.notify_all();
}

void RunMerger::finished(u64 share, std::vector<SectorRun>& runs) {
  std::unique_lock lock(mutex_);
  if (!spare_.empty()) {
    spare_.back().swap(runs);
    waiting_[share].swap(spare_.back());
    spare_.pop_back();
  } else {
    waiting_[share].swap(runs);
  }
  if (merging_) return;  // the thread that merges now will take it
  merging_ = true;
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    std::vector<SectorRun> oldest = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    lock.unlock();
    l2_.access(oldest.data(), oldest.size(), traffic_);
    oldest.clear();
    lock.lock();
    spare_.push_back(std::move(oldest));
    ++next_;
    moved_.notify_all();
  }
  merging_ = false;
}

}  // namespace roofline::sim
