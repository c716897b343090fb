// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "simulator/timing/cache.h"

namespace roofline::sim {

/// Applies the sector runs of blocks to L2 in launch order, whatever order they end in. Work comes in shares,
/// a few consecutive blocks; shares too far ahead of the oldest unfinished one wait before they start, so
/// that little has to be kept. Every share that was
/// waited for must be reported as finished, unless the launch is cancelled.
class RunMerger {
 public:
  RunMerger(L2Cache& l2, L2Cache::Traffic& traffic) : l2_(l2), traffic_(traffic) {}

  /// Call before running a share.
  void wait_for_window(u64 share);
  /// The launch ends early: nobody waits any more.
  void cancel();
  /// Takes the runs of a finished share; `runs` is empty afterwards.
  void finished(u64 share, std::vector<SectorRun>& runs);

 private:
  static constexpr u64 kWindow = 64;

  L2Cache& l2_;
  L2Cache::Traffic& traffic_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<u64, std::vector<SectorRun>> waiting_;
  std::vector<std::vector<SectorRun>> spare_;
  u64 next_ = 0;
  bool merging_ = false, cancelled_ = false;
};

}  // namespace roofline::sim
