// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/managed_memory.h"

#include <algorithm>

#include "simulator/timing/cache.h"

namespace roofline::sim {

void ManagedMemory::add(u64 address, u64 bytes) {
  ranges_[address] = address + bytes;
  lowest_ = std::min(lowest_, address);
  highest_ = std::max(highest_, address + bytes);
}

void ManagedMemory::remove(u64 address) {
  const auto range = ranges_.find(address);
  if (range == ranges_.end()) return;
  for (u64 group = range->first / kGroupBytes; group * kGroupBytes < range->second; ++group) send_back(group);
  ranges_.erase(range);
  lowest_ = ranges_.empty() ? ~u64{0} : ranges_.begin()->first;
  highest_ = ranges_.empty() ? 0 : ranges_.rbegin()->second;
}

void ManagedMemory::clear() { *this = ManagedMemory(); }

bool ManagedMemory::is_managed(u64 address) const {
  auto range = ranges_.upper_bound(address);
  return range != ranges_.begin() && address < (--range)->second;
}

void ManagedMemory::touch(const SectorRun* runs, size_t n) {
  if (ranges_.empty()) return;
  for (size_t i = 0; i < n; ++i) {
    const u64 begin = runs[i].first_sector * kSectorBytes, end = begin + runs[i].count * kSectorBytes;
    if (begin >= highest_ || end <= lowest_) continue;
    for (u64 group = begin / kGroupBytes; group * kGroupBytes < end; ++group)
      if (group != last_group_ && is_managed(std::max(begin, group * kGroupBytes))) touch_group(group);
  }
}

void ManagedMemory::touch_group(u64 group) {
  last_group_ = group;
  if (const auto place = places_.find(group); place != places_.end()) {
    resident_.splice(resident_.begin(), resident_, place->second);
    return;
  }
  ++moves_.faults;
  bring(group, moves_);
}

/// Pages are moved, not copied: those that leave are written back whether or not they changed.
void ManagedMemory::bring(u64 group, Moves& moves) {
  while (!resident_.empty() && (resident_.size() + 1) * kGroupBytes > capacity_) {
    moves.out_bytes += kGroupBytes;
    send_back(resident_.back());
  }
  moves.in_bytes += kGroupBytes;
  resident_.push_front(group);
  places_[group] = resident_.begin();
}

void ManagedMemory::send_back(u64 group) {
  const auto place = places_.find(group);
  if (place == places_.end()) return;
  resident_.erase(place->second);
  places_.erase(place);
  if (last_group_ == group) last_group_ = ~u64{0};
}

ManagedMemory::Moves ManagedMemory::take_moves() {
  last_group_ = ~u64{0};
  const Moves taken = moves_;
  moves_ = {};
  return taken;
}

ManagedMemory::Moves ManagedMemory::prefetch(u64 address, u64 bytes, bool to_device) {
  Moves moves;
  for (u64 group = address / kGroupBytes; group * kGroupBytes < address + bytes; ++group) {
    const bool is_resident = places_.contains(group);
    if (to_device && !is_resident) bring(group, moves);
    if (!to_device && is_resident) {
      moves.out_bytes += kGroupBytes;
      send_back(group);
    }
  }
  return moves;
}

double fault_seconds(const DeviceDescription& device, const ManagedMemory::Moves& moves) {
  const double moved = static_cast<double>(moves.in_bytes + moves.out_bytes);
  return std::max(static_cast<double>(moves.faults) * device.fault_group_us * 1e-6,
                  moved / (device.pinned_gbps * 1e9));
}

}  // namespace roofline::sim
