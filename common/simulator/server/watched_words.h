// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

#include "simulator/types.h"

namespace roofline::sim::server {

/// Words of memory that streams have waited for, and which values they had since when. The machine executes
/// work as it is submitted; on the timeline the value comes when the work that wrote it ends.
class WatchedWords {
 public:
  struct Value {
    u64 value = 0;
    double since = 0;      ///< virtual time
    u32 event = 0;         ///< for the check of stream order: stands for the work that wrote it
    bool ordered = false;  ///< such an event was recorded
  };
  struct Word {
    u32 number = 0;
    std::deque<Value> values;  ///< the last one is the present one

    /// The first of the present values that are accepted without a break; null where the present one is not.
    const Value* accepted(const std::function<bool(u64)>& accepts) const;
    Value& add(u64 value, double since);
  };
  using Place = std::pair<u64, u32>;  ///< address, bytes

  bool empty() const { return words_.empty(); }
  Word* find(Place place);
  /// A word with its present value.
  Word& watch(Place place, u64 value, double since);
  /// Calls `each(place, word)` and forgets the words for which it gives false.
  template <class Each>
  void update(Each&& each) {
    for (auto entry = words_.begin(); entry != words_.end();)
      entry = each(entry->first, entry->second) ? std::next(entry) : words_.erase(entry);
  }

 private:
  std::map<Place, Word> words_;
  u32 watched_ = 0;  ///< so far
};

}  // namespace roofline::sim::server
