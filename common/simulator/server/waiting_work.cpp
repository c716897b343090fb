// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/waiting_work.h"

namespace roofline::sim::server {

WaitingWork::~WaitingWork() {
  while (!ended_) {
    try {
      (void)go_on(Others::kAreGone);
    } catch (...) {  // then it has ended
    }
  }
  if (thread_.joinable()) thread_.join();
}

bool WaitingWork::begin(std::function<void()> work) {
  const auto run_work = [this, work = std::move(work)] {
    try {
      work();
    } catch (...) {
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    runs_ = false;
    changed_.notify_all();
  };
  {
    const std::lock_guard lock(mutex_);
    thread_ = std::thread(run_work);
    runs_ = true;
    ended_ = false;
  }
  return run();
}

bool WaitingWork::go_on(Others others) {
  {
    const std::lock_guard lock(mutex_);
    others_ = others;
    runs_ = true;
  }
  changed_.notify_all();
  return run();
}

bool WaitingWork::run() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !runs_; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return ended_;
}

Others WaitingWork::stop(bool moved) {
  std::unique_lock lock(mutex_);
  moved_ |= moved;
  runs_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this] { return runs_; });
  return others_;
}

}  // namespace roofline::sim::server
