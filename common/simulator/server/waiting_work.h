// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "simulator/program/others.h"

namespace roofline::sim::server {

/// Work that may stop in the middle to let others go on: a kernel that waits for what comes after it. It has
/// a thread of its own, which runs only while somebody waits for it in begin() or go_on(); so it touches
/// whatever they may touch.
class WaitingWork {
 public:
  WaitingWork() = default;
  ~WaitingWork();  ///< ends it, as when all others are gone
  WaitingWork(const WaitingWork&) = delete;
  WaitingWork& operator=(const WaitingWork&) = delete;

  /// Runs `work` until it ends or stops. Both say whether it has ended, and throw what it throws.
  bool begin(std::function<void()> work);
  /// Lets it look again: `others` is what it is told.
  bool go_on(Others others);

  /// Within the work: stops it. `moved`: it did more than look since it stopped last.
  Others stop(bool moved);
  /// Whether it did more than look since this was asked last.
  bool take_moved() { return std::exchange(moved_, false); }

 private:
  bool run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  bool runs_ = false, ended_ = true, moved_ = true;
  std::exception_ptr error_;
  Others others_ = Others::kWentOn;
};

}  // namespace roofline::sim::server
