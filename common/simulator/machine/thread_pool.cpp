// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/thread_pool.h"

#include <algorithm>

namespace roofline::sim {

ThreadPool::ThreadPool(unsigned workers) {
  for (unsigned i = 1; i < std::max(workers, 1u); ++i) threads_.emplace_back([this, i] { serve(i); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::run(const std::function<void(unsigned)>& work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    busy_ = static_cast<unsigned>(threads_.size());
    ++round_;
  }
  start_.notify_all();
  work(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return busy_ == 0; });
}

void ThreadPool::serve(unsigned worker) {
  unsigned long seen = 0;
  for (;;) {
    const std::function<void(unsigned)>* work;
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return ending_ || round_ != seen; });
      if (ending_) return;
      seen = round_;
      work = work_;
    }
    (*work)(worker);
    const std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace roofline::sim
