// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "simulator/types.h"

namespace roofline::sim {

/// The values behind the handles of conditional graph nodes (cudaGraphConditionalHandle), of one device.
/// A number is never used twice, on no device. Blocks that run at the same time may set them.
class Conditions {
 public:
  u64 add() {
    const std::lock_guard guard(lock_);
    const u64 number = ++last_;
    values_[number] = 0;
    return number;
  }
  void remove(u64 number) {
    const std::lock_guard guard(lock_);
    values_.erase(number);
  }
  /// False when there is no such handle.
  bool set(u64 number, u32 value) {
    const std::lock_guard guard(lock_);
    const auto found = values_.find(number);
    if (found != values_.end()) found->second = value;
    return found != values_.end();
  }
  std::optional<u32> value(u64 number) const {
    const std::lock_guard guard(lock_);
    const auto found = values_.find(number);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  mutable std::mutex lock_;
  std::unordered_map<u64, u32> values_;
  inline static std::atomic<u64> last_ = 0;
};

}  // namespace roofline::sim
