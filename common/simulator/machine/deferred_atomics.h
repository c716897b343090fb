// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "simulator/types.h"

namespace roofline::sim {

/// Atomics whose order shows in the result and whose old value nobody reads: sums of floats. Blocks that run
/// side by side leave theirs here until all earlier blocks have ended, so that they happen in launch order
/// whatever the host's threads do. Of one share of the grid's blocks, whose order is that of the calls.
///
/// What the program sees is as if each had happened at once: where a block accesses memory that one of its
/// own is waiting for, it waits for its turn first. Nothing else in such a kernel orders blocks
/// (Kernel::takes_turns).
class DeferredAtomics {
 public:
  /// Combines what is at `at` with `operand`, the bits of a value of up to 64.
  using Apply = void (*)(u8* at, u64 operand, bool concurrent);

  /// A new share begins; `wait_for_turn` returns when all earlier shares have ended.
  void begin(std::function<void()> wait_for_turn, bool concurrent) {
    wait_for_turn_ = std::move(wait_for_turn);
    concurrent_ = concurrent;
    is_its_turn_ = false;
  }
  /// Does it now if it is the share's turn, otherwise later.
  void add(Apply apply, u8* at, u32 bytes, u64 operand) {
    if (is_its_turn_) return apply(at, operand, concurrent_);
    const auto address = reinterpret_cast<u64>(at);
    low_ = std::min(low_, address);
    end_ = std::max(end_, address + bytes);
    waiting_.push_back({apply, at, operand});
    if (waiting_.size() >= kMost) take_turn();
  }
  /// Call before any other access to global memory at [low, end).
  void before_access(u64 low, u64 end) {
    if (low < end_ && low_ < end) take_turn();
  }
  /// Waits for the share's turn and does what has been left.
  void take_turn();
  /// Does what has been left; it is the share's turn.
  void apply_all();

 private:
  /// Of a share: 200 KB.
  static constexpr size_t kMost = 8192;
  struct Waiting {
    Apply apply;
    u8* at;
    u64 operand;
  };
  std::vector<Waiting> waiting_;
  u64 low_ = std::numeric_limits<u64>::max(), end_ = 0;  ///< of all that wait
  std::function<void()> wait_for_turn_;
  bool is_its_turn_ = true, concurrent_ = true;
};

}  // namespace roofline::sim
