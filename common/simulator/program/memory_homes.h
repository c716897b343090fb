// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <iterator>
#include <map>

#include "simulator/program/address_windows.h"
#include "simulator/types.h"

namespace roofline::sim {

/// Which GPU has the memory behind a device address: the one in whose window it lies, except where addresses
/// that were reserved there show a piece of another one's (device/virtual_memory.h).
class MemoryHomes {
 public:
  /// Addresses around one, all with the same answer.
  struct Span {
    u64 begin = 0, end = 0;
    u32 gpu = 0;
    bool holds(u64 address) const { return address >= begin && address < end; }
  };

  /// Of GPUs among whose addresses none are reserved.
  static const MemoryHomes& of_windows() {
    static const MemoryHomes none;
    return none;
  }

  // Of addresses from kDeviceWindow to kHostWindow.
  u32 of(u64 address) const { return span_at(address).gpu; }
  Span span_at(u64 address) const {
    const auto next = mapped_.upper_bound(address);
    const u32 gpu = window_of(address);
    Span gap{kDeviceWindow + gpu * kDeviceStride, kDeviceWindow + (gpu + 1) * kDeviceStride, gpu};
    if (next != mapped_.end()) gap.end = std::min(gap.end, next->first);
    if (next == mapped_.begin()) return gap;
    const Span& before = std::prev(next)->second;
    if (before.holds(address)) return before;
    gap.begin = std::max(gap.begin, before.end);
    return gap;
  }
  /// Calls `each(gpu, n)` for the stretches of [address, address + bytes).
  template <class Each>
  void divide(u64 address, u64 bytes, Each&& each) const {
    while (bytes != 0) {
      const Span span = span_at(address);
      const u64 n = std::min(bytes, span.end - address);
      each(span.gpu, n);
      address += n;
      bytes -= n;
    }
  }

  bool is_reserved(u64 address) const {
    const auto next = reserved_.upper_bound(address);
    return next != reserved_.begin() && address < std::prev(next)->second;
  }
  bool is_mapped(u64 address) const {
    const auto next = mapped_.upper_bound(address);
    return next != mapped_.begin() && std::prev(next)->second.holds(address);
  }

  void reserve(u64 address, u64 bytes) { reserved_[address] = address + bytes; }
  void unreserve(u64 address) { reserved_.erase(address); }
  void map(u64 address, u64 bytes, u32 gpu) { mapped_[address] = {address, address + bytes, gpu}; }
  void unmap(u64 address) { mapped_.erase(address); }

 private:
  std::map<u64, u64> reserved_;  ///< begin to end
  std::map<u64, Span> mapped_;   ///< by begin
};

}  // namespace roofline::sim
