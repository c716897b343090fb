// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <list>
#include <map>
#include <unordered_map>

#include "simulator/timing/device_description.h"

namespace roofline::sim {

struct SectorRun;

/// Where the pages of managed memory are: with the host, or in the memory of one GPU. They begin with the
/// host, move in groups of 64 KiB when a kernel touches them (a page fault) or when they are prefetched, and
/// those that were not touched for the longest time go back when the GPU's memory is full. What moves is only
/// counted: the bytes stay where both sides reach them.
class ManagedMemory {
 public:
  static constexpr u64 kGroupBytes = u64{64} << 10;

  struct Moves {
    u64 faults = 0;  ///< groups that a kernel waited for
    u64 in_bytes = 0, out_bytes = 0;
  };

  void add(u64 address, u64 bytes);
  void remove(u64 address);
  void clear();
  /// Device memory that pages may take from now on.
  void set_capacity(u64 bytes) { capacity_ = bytes; }

  bool is_managed(u64 address) const;
  /// A kernel's accesses, in order.
  void touch(const SectorRun* runs, size_t n);
  /// What moved because of touch() since the last call.
  Moves take_moves();
  /// Brings a range to the GPU, or back to the host.
  Moves prefetch(u64 address, u64 bytes, bool to_device);

 private:
  void touch_group(u64 group);
  void bring(u64 group, Moves& moves);
  void send_back(u64 group);

  std::map<u64, u64> ranges_;  ///< begin to end of each allocation
  u64 lowest_ = ~u64{0}, highest_ = 0;
  u64 capacity_ = 0, last_group_ = ~u64{0};
  std::list<u64> resident_;  ///< groups in device memory, the latest used first
  std::unordered_map<u64, std::list<u64>::iterator> places_;
  Moves moves_;
};

/// What page faults add to a kernel's time: its accesses wait while the driver serves the groups one after
/// the other. The copies run beside its work and count only where the link is the slower of the two.
double fault_seconds(const DeviceDescription& device, const ManagedMemory::Moves& moves);

}  // namespace roofline::sim
