// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "simulator/program/others.h"

namespace roofline::sim::server {

/// Work that may stop in the middle to let others go on: a kernel that waits for what comes after it. It has
/// a thread of its own, which runs only while somebody waits for it in begin() or go_on(); so it touches
/// whatever they may touch.
class WaitingWork {
 public:
  WaitingWork() = default;
  ~WaitingWork();  ///< it has ended, or never began
  WaitingWork(const WaitingWork&) = delete;
  WaitingWork& operator=(const WaitingWork&) = delete;

  /// Runs `work` until it ends or stops. Both say whether it has ended.
  bool begin(std::function<void()> work);
  /// Lets it look again: `others` is what it is told.
  bool go_on(Others others);

  /// Within the work: stops it. `host`: it waits for memory that host code may write.
  Others stop(bool host);
  bool waits_for_host() const { return host_; }

 private:
  bool run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  bool runs_ = false, ended_ = false, host_ = false;
  Others others_ = Others::kWentOn;
};

}  // namespace roofline::sim::server
