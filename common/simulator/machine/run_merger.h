// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <vector>

#include "simulator/machine/deferred_atomics.h"
#include "simulator/timing/cache.h"

namespace roofline::sim {

/// Applies what blocks do to L2, and the atomics that they deferred, in launch order, whatever order they end
/// in. Work comes in shares, a few consecutive blocks; shares too far ahead of the oldest unfinished one wait
/// before they start, so that little has to be kept. Every share that was waited for must be reported as
/// finished, unless the launch is cancelled.
class RunMerger {
 public:
  /// What a share leaves for its turn.
  struct Left {
    std::vector<SectorRun> runs;
    DeferredAtomics atomics;
  };
  RunMerger(L2Cache& l2, L2Cache::Traffic& traffic) : l2_(l2), traffic_(traffic) {}

  /// Call before running a share.
  void wait_for_window(u64 share);
  /// Returns when all shares before this one have been applied.
  void wait_for_turn(u64 share);
  /// The launch ends early: nobody waits any more.
  void cancel();
  /// Takes what a finished share leaves, and hands out what is empty instead.
  void finished(u64 share, Left& left);

 private:
  static constexpr u64 kWindow = 64;

  L2Cache& l2_;
  L2Cache::Traffic& traffic_;
  std::mutex mutex_;
  std::condition_variable moved_;
  std::map<u64, Left> waiting_;
  std::vector<Left> spare_;
  u64 next_ = 0;
  bool merging_ = false, cancelled_ = false;
};

}  // namespace roofline::sim
