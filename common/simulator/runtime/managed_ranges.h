// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <set>

#include "simulator/runtime/cuda.h"
#include "simulator/types.h"

namespace roofline::sim::runtime {

/// What a program advised about a page of managed memory. It is only remembered.
struct Advice {
  bool read_mostly = false;
  cudaMemLocation preferred{}, prefetched{};  ///< type 0: none
  std::set<int> accessed_by;                  ///< devices, or cudaCpuDeviceId
};

/// Advice for every page of managed memory, kept by ranges that agree.
class ManagedRanges {
 public:
  /// Changes the advice for all pages that [address, address + bytes) touches.
  template <class Change>
  void change(u64 address, u64 bytes, Change&& apply) {
    const u64 begin = address / kPage * kPage, end = (address + bytes + kPage - 1) / kPage * kPage;
    split(begin);
    split(end);
    for (auto range = ranges_.lower_bound(begin); range != ranges_.end() && range->first < end; ++range)
      apply(range->second);
  }
  /// Calls `look` with the advice of every part of the range.
  template <class Look>
  void each(u64 address, u64 bytes, Look&& look) const {
    auto range = ranges_.upper_bound(address);
    if (range != ranges_.begin()) --range;
    for (; range != ranges_.end() && range->first < address + bytes; ++range) look(range->second);
  }
  /// New memory, without advice.
  void clear(u64 address, u64 bytes) {
    change(address, bytes, [](Advice& advice) { advice = {}; });
  }

 private:
  static constexpr u64 kPage = 4096;

  /// A range begins at `at`.
  void split(u64 at) {
    auto next = ranges_.lower_bound(at);
    if (next != ranges_.end() && next->first == at) return;
    const Advice before = next == ranges_.begin() ? Advice{} : std::prev(next)->second;
    ranges_.emplace_hint(next, at, before);
  }

  std::map<u64, Advice> ranges_{{0, {}}};  ///< begin of a range that ends where the next begins
};

}  // namespace roofline::sim::runtime
