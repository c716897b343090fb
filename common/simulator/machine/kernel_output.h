// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iterator>
#include <map>
#include <string>

#include "simulator/types.h"

namespace roofline::sim {

/// What the blocks of a launch printed, in block order, as much as the device's printf buffer holds: hardware
/// has 1 MiB (cudaLimitPrintfFifoSize) and loses the rest too.
class KernelOutput {
 public:
  static constexpr u64 kCapacity = u64{1} << 20;

  void add(u64 block, const std::string& text) {
    if (text.empty()) return;
    bytes_ += text.size();
    std::string& place = by_block_[block];
    place += text;
    // A block whose forerunners fill the buffer will not be heard.
    while (bytes_ - by_block_.rbegin()->second.size() >= kCapacity) {
      bytes_ -= by_block_.rbegin()->second.size();
      by_block_.erase(std::prev(by_block_.end()));
      cut_ = true;
    }
  }
  void merge(const KernelOutput& other) {
    cut_ |= other.cut_;
    for (const auto& [block, text] : other.by_block_) add(block, text);
  }
  void clear() { *this = {}; }

  /// The text of blocks up to `last`.
  std::string text(u64 last) const {
    std::string all;
    for (const auto& [block, text] : by_block_)
      if (block <= last) all += text;
    const bool too_long = all.size() > kCapacity;
    if (too_long) all.resize(kCapacity);
    if (cut_ || too_long) all += "\n[printf buffer full: the rest of this kernel's output is lost]\n";
    return all;
  }

 private:
  std::map<u64, std::string> by_block_;
  u64 bytes_ = 0;
  bool cut_ = false;
};

}  // namespace roofline::sim
