// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "simulator/program/address_windows.h"
#include "simulator/program/memory_homes.h"
#include "simulator/program/trap.h"
#include "simulator/types.h"

namespace roofline::sim {

/// Device memory: a sparse memory file mapped at kDeviceWindow in this process, so that a device address is
/// the machine's own pointer, and a table of allocations. Live allocations never overlap and are kept apart
/// by guard gaps, so that an access a little past one of them is never inside its neighbour. Addresses depend
/// only on the sequence of calls. Freed ranges are remembered for messages, and their pages go back to the
/// system.
class Memory {
 public:
  /// A device with `bytes` of memory; throws std::runtime_error when the address range cannot be mapped.
  explicit Memory(u64 bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Device allocations start at multiples of this, and take multiples of it.
  static constexpr u64 kAlignment = 256;

  struct Allocation {
    u64 begin = 0, end = 0;     ///< end as asked for, not rounded
    std::string origin;         ///< who made it, may be empty
    bool host_visible = false;  ///< pinned, mapped or managed: in the host window
    bool read_only = false;     ///< for kernels: constant memory, or mapped so
    bool constant = false;      ///< a __constant__ variable
    bool on_heap = false;       ///< malloc in a kernel
    bool is_mapped = false;     ///< see device/virtual_memory.h, imported_memory.h
    bool for_peers = false;  ///< mapped, and other devices that are allowed to reach this one reach it, too
    u64 serial = 0;          ///< never used twice
  };

  /// Address of a new allocation of zeroed memory, or 0 when the device is full. Zero bytes take one unit.
  u64 allocate(u64 bytes, const std::string& origin, bool read_only = false);
  /// False when `address` is not the start of a live device allocation.
  bool release(u64 address);
  /// The same for malloc and free in kernels. They have a budget of their own, and count as device memory in
  /// use; each block is an allocation, so that its bounds and its lifetime are checked like any other's.
  u64 allocate_on_heap(u64 bytes, const std::string& origin);
  bool release_on_heap(u64 address);
  void set_heap_limit(u64 bytes) { heap_limit_ = bytes; }
  u64 heap_limit() const { return heap_limit_; }

  // For device/virtual_memory.h: memory and addresses apart.
  /// Memory of zeroes that is in no table: its place, or 0 when the device is full.
  u64 take_unnamed(u64 bytes);
  void give_back_unnamed(u64 place, u64 bytes);
  /// Addresses without memory, apart from those of allocations; 0 when there are none left.
  u64 take_addresses(u64 bytes, u64 alignment);
  void give_back_addresses(u64 address, u64 bytes);
  /// Lets such addresses be those of a file, this device's or another's, or of nothing again.
  bool show(u64 address, int file, u64 offset, u64 bytes);
  void hide(u64 address, u64 bytes);
  /// Enters them into the table of allocations, or takes them out.
  void enter(u64 address, u64 bytes, const std::string& origin, bool read_only, bool for_peers = false);
  void leave(u64 address);

  /// The file that holds the device's memory, and where a place or an allocation's address is in it.
  int file() const { return file_; }
  u64 offset_of(u64 place) const { return place - window_; }

  /// Fills a live allocation from a file; false when that has fewer bytes.
  bool read_in(u64 address, u64 bytes, int file, u64 offset);

  /// Enters memory of the host window into the table; false when it overlaps something.
  bool add_host(u64 address, u64 bytes, const std::string& origin);
  bool remove_host(u64 address);

  /// Whose memory an address shows, for messages; `homes` outlives the memory.
  void set_homes(const MemoryHomes& homes) { homes_ = &homes; }
  const MemoryHomes& homes() const { return *homes_; }

  /// Lets find() answer for allocations of another device, too, or no longer.
  void allow_peer(Memory& peer, bool allow);

  /// The live allocation that holds `address`, or nullptr. O(log n). Valid until the table changes.
  const Allocation* find(u64 address) const;
  /// Changes whenever the table does, and differs between two Memory objects: what caches compare.
  u64 epoch() const { return epoch_; }

  /// Where the device's addresses begin: kDeviceStride of them are its own.
  u64 window() const { return window_; }
  /// As many from there on have memory of its own behind them.
  u64 window_bytes() const { return window_bytes_; }

  u64 free_bytes() const { return capacity_ - used_; }
  u64 used_bytes() const { return used_; }
  /// The most in use since this was asked last.
  u64 take_peak() { return std::exchange(peak_, used_); }
  u64 capacity() const { return capacity_; }

  /// Gives the live allocation that starts at `address` another origin.
  void rename(u64 address, const std::string& origin);

  /// Why an access is wrong, for a person: "4 bytes past the end of the 4096-byte allocation made at ...",
  /// "inside an allocation that was freed", "a null pointer", "a host address", ...
  std::string explain(u64 address, u64 bytes) const;
  /// The same for code: kPastEnd, kFreed or kOther.
  AddressFault fault_of(u64 address, u64 bytes) const { return explained(address, bytes).fault; }

 private:
  struct Explained {
    std::string text;
    AddressFault fault = AddressFault::kOther;
  };
  Explained explained(u64 address, u64 bytes) const;
  Explained explained_by_table(u64 address, u64 bytes) const;
  void changed();
  static u64 rounded_size(const Allocation& allocation);
  u64 place(u64 bytes, const std::string& origin, bool read_only, bool on_heap);
  void remove(std::map<u64, Allocation>::iterator entry);
  static u64 take(std::map<u64, u64>& holes, u64 bytes, u64 alignment);
  static std::pair<u64, u64> join(std::map<u64, u64>& holes, u64 begin, u64 bytes);
  void give_back(u64 begin, u64 bytes);
  void drop_pages(u64 begin, u64 end);
  void remember(Allocation allocation);
  void forget_freed(u64 begin, u64 end);
  const Allocation* find_at_peer(u64 address) const;
  const Memory* peer_at(u64 address) const;

  std::map<u64, Allocation> live_;   ///< by begin
  std::map<u64, Allocation> freed_;  ///< by begin; the oldest go first
  std::map<u64, u64> holes_;         ///< free address ranges, begin to size
  std::map<u64, u64> bare_holes_;    ///< the same of addresses without memory
  u64 bare_bytes_ = 0;               ///< of all such addresses; 0 until the first reservation
  int file_ = -1;
  u64 window_ = 0, window_bytes_ = 0;
  u64 capacity_ = 0, used_ = 0, peak_ = 0, next_serial_ = 1, epoch_ = 0;
  const MemoryHomes* homes_ = &MemoryHomes::of_windows();
  u64 heap_limit_ = u64{8} << 20, heap_used_ = 0;
  std::set<Memory*> peers_;     ///< whose allocations find() knows
  std::set<Memory*> watchers_;  ///< whose find() knows ours
};

}  // namespace roofline::sim
