// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/checks/piece_order.h"

namespace roofline::sim {

u64 PieceOrder::begin(const std::vector<u64>& after) {
  std::vector<u64>& mine = after_[++latest_];
  for (const u64 name : after)
    if (const auto found = numbers_.find(name); found != numbers_.end()) mine.push_back(found->second);
  return latest_;
}

void PieceOrder::end(u64 name) { numbers_[name] = latest_; }

std::vector<bool> PieceOrder::before(u64 piece, u64 oldest) const {
  std::vector<bool> before(piece - oldest + 1);
  before[piece - oldest] = true;
  for (u64 number = piece; number > oldest; --number) {
    if (!before[number - oldest]) continue;
    for (const u64 earlier : after_.at(number))
      if (earlier >= oldest) before[earlier - oldest] = true;
  }
  return before;
}

void PieceOrder::forget_below(u64 oldest) {
  if (oldest <= oldest_) return;
  oldest_ = oldest;
  after_.erase(after_.begin(), after_.lower_bound(oldest));
  std::erase_if(numbers_, [&](const auto& entry) { return entry.second < oldest; });
}

}  // namespace roofline::sim
