// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <set>
#include <unordered_set>
#include <vector>

#include "simulator/checks/byte_map.h"
#include "simulator/checks/code_facts.h"
#include "simulator/checks/findings.h"
#include "simulator/machine/observer.h"

namespace roofline::sim {

/// Reads of bytes that nobody wrote: device memory of cudaMalloc and its relatives, and shared memory. Module
/// variables, kernel parameters and memory that the host can write are never uninitialised.
class InitCheck {
 public:
  explicit InitCheck(Findings& findings) : findings_(findings) {}

  void allocated(u64 address, u64 bytes, const std::string& origin);
  void released(u64 address) { allocations_.erase(address); }
  /// All that begins in [begin, end).
  void released(u64 begin, u64 end) {
    allocations_.erase(allocations_.lower_bound(begin), allocations_.lower_bound(end));
  }
  void written(u64 address, u64 bytes) { valid_.set(address, bytes); }
  void unwritten(u64 address, u64 bytes) { valid_.clear(address, bytes); }
  void copied(u64 to, u64 from, u64 bytes);
  /// A copy to the host or to memory that is not watched.
  void copied_out(u64 from, u64 bytes);

  void launch_begins(const Grid& grid, const std::vector<Traits>& traits);
  void block_begins(const Block& block);
  void block_ends(const Block& block);
  void access(Warp& w, const Instruction& in, const ObservedAccess& a);
  void launch_ends();
  /// Whether another thread of the launch wrote later every word that a finding is about: the reader only
  /// came too early, which is a race.
  bool came_too_early(const Finding& finding) const { return !unwritten_.contains(&finding); }

 private:
  /// A word of a block's shared memory, or (block 0) of global memory. Blocks count from 1 here.
  using Word = std::pair<u64, u64>;
  /// Who read a word before anybody wrote it, and where that was reported.
  struct EarlyRead {
    u64 thread;  ///< of the launch
    const Finding* finding;
  };
  static constexpr size_t kMostEarly = size_t{1} << 16;

  void remember_early(const Warp& w, const ObservedAccess& a, u32 lane, bool shared, const Finding* finding);
  void settle_early(const Warp& w, const ObservedAccess& a, bool shared);
  struct Allocation {
    u64 end = 0;
    std::string origin;
  };
  using Entry = std::pair<const u64, Allocation>;

  const Entry* find(u64 address) const;
  ByteMap& shared_of(const Block& block);
  void read(const Warp& w, const Instruction& in, const ObservedAccess& a, const ByteMap& valid, bool shared);
  void report(const Warp& w, const Instruction& in, const ObservedAccess& a, u32 lane, u64 missing,
              bool shared);

  Findings& findings_;
  ByteMap valid_;
  std::map<u64, Allocation> allocations_;
  const Grid* grid_ = nullptr;
  const std::vector<Traits>* traits_ = nullptr;
  std::map<const Block*, ByteMap> shared_;
  const Block* last_block_ = nullptr;  ///< whose shared memory was looked at last, and where it is
  ByteMap* last_shared_ = nullptr;
  bool cluster_writes_ = false;  ///< blocks of the launch write each other's shared memory: it is not watched
  std::map<u32, Finding*> reported_;              ///< by instruction, of the present launch
  std::map<Word, std::vector<EarlyRead>> early_;  ///< words of the present launch that are unwritten still
  size_t early_count_ = 0;
  std::set<const Finding*> unwritten_;  ///< about words that nobody but the reader wrote
};

}  // namespace roofline::sim
