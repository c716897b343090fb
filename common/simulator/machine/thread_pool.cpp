// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace roofline::sim {
namespace {

/// Of the cores that the process may run on as many as its container has time for.
unsigned usable_cores() {
  const unsigned cores = std::max(std::thread::hardware_concurrency(), 1u);
  std::ifstream limit("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;  // "max 100000" where there is no limit
  if (!(limit >> quota >> period) || !(quota > 0) || !(period > 0)) return cores;
  return static_cast<unsigned>(std::clamp(std::ceil(quota / period), 1.0, double{1} * cores));
}

}  // namespace

ThreadPool::ThreadPool(unsigned most) : most_(most != 0 ? most : usable_cores()) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(unsigned workers, const std::function<void(unsigned)>& work) {
  while (threads_.size() + 1 < workers) threads_.emplace_back([this] { serve(); });
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    begun_ = ended_ = 1;
    wanted_ = workers;
  }
  for (unsigned i = 1; i < workers; ++i) start_.notify_one();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return ended_ == wanted_; });
  wanted_ = 0;
}

void ThreadPool::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [this] { return ending_ || begun_ < wanted_; });
    if (ending_) return;
    const unsigned mine = begun_++;
    const auto* work = work_;
    lock.unlock();
    (*work)(mine);
    lock.lock();
    if (++ended_ == wanted_) done_.notify_one();
  }
}

}  // namespace roofline::sim
