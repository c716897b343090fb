// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unordered_map>
#include <vector>

#include "simulator/checks/order.h"
#include "simulator/machine/observer.h"

namespace roofline::sim {

/// Counters in global memory from which every block of a launch draws one ticket, with an atomic operation.
/// The block that draws the last one goes on with what all have left. Where they left it with atomics there
/// is no data race, but without a fence before the ticket it may be seen after it.
class Tickets {
 public:
  /// The last ticket of a counter.
  struct Last {
    u64 counter = 0;   ///< its address; 0: not drawn
    u64 previous = 0;  ///< LaunchOrder time of the ticket before
    /// By block: its clock when it drew. An access before that clock came before the ticket.
    std::unordered_map<u32, u32> clocks;
  };

  void launch_begins(const Grid& grid, const std::vector<Traits>& traits);
  /// Whether the kernel can have both: a counter, and something else that blocks write with atomics.
  bool watched() const { return watched_; }

  /// An atomic operation on a counter or anything else; `time`: when it will be published.
  void draw(u64 address, const Stamp& me, u64 time);
  /// A strong access of another block to the same bytes comes after this one.
  void replaced(u64 address, const Stamp& write);
  /// The last write of another block than the one that wrote these bytes last; nullptr: none.
  const Stamp* earlier(u64 address) const;
  /// The last ticket if this block drew it and no other block has come to this instruction: then it is
  /// executed because the ticket was the last one.
  const Last* behind_last(u32 block, u32 instruction);

 private:
  struct Counter {
    std::unordered_map<u32, u32> clocks;
    u64 latest = 0;
    bool drawn_twice = false;  ///< by one block: a sum, a lock, a queue
  };
  /// Addresses on which atomics are followed; tickets on others are not noticed.
  static constexpr size_t kMost = size_t{1} << 16;

  bool watched_ = false;
  u64 blocks_ = 0;
  std::unordered_map<u64, Counter> counters_;
  std::unordered_map<u64, Stamp> earlier_;
  std::unordered_map<u32, u32> came_;  ///< by instruction: the only block that came; kSeveral
  static constexpr u32 kSeveral = ~0U;
  std::unordered_map<u32, Last> last_;  ///< by block
};

}  // namespace roofline::sim
