// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/waiting_work.h"

#include <utility>

namespace roofline::sim::server {

WaitingWork::~WaitingWork() {
  if (thread_.joinable()) thread_.join();
}

bool WaitingWork::begin(std::function<void()> work) {
  runs_ = true;
  thread_ = std::thread([this, work = std::move(work)] {
    work();
    const std::lock_guard lock(mutex_);
    ended_ = true;
    runs_ = false;
    changed_.notify_all();
  });
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
  return ended_;
}

Others WaitingWork::stop(bool host) {
  std::unique_lock lock(mutex_);
  host_ = host;
  runs_ = false;
  changed_.notify_all();
  changed_.wait(lock, [this] { return runs_; });
  return others_;
}

}  // namespace roofline::sim::server
