// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/types.h"

namespace roofline::sim {

/// Device memory: a sparse memfd mapped at kDeviceWindow in this process, with an allocation table. Live
/// allocations never overlap; freed ones are remembered for messages.
class Memory {
 public:
  explicit Memory(u64 bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  struct Allocation {
    u64 begin = 0, end = 0;
    std::string origin;
    bool host_visible = false, read_only = false;
    u64 serial = 0;   ///< changes on every allocate: caches compare it
  };
  u64 allocate(u64 bytes, const std::string& origin, bool read_only = false);
  bool release(u64 address);
  bool add_host(u64 address, u64 bytes, const std::string& origin);
  bool remove_host(u64 address);

  /// The live allocation that holds `address`, or nullptr. O(log n).
  const Allocation* find(u64 address) const;
  u64 free_bytes() const;
  u64 peak_bytes() const;

  /// Why an access is wrong, for a person: "4 bytes past the end of the 4096-byte allocation made at ...",
  /// "inside an allocation that was freed", "a null pointer", "a host address", ...
  std::string explain(u64 address, u64 bytes) const;

 private:
  std::map<u64, Allocation> live_;   ///< by begin
  std::map<u64, Allocation> freed_;
  std::map<u64, u64> holes_;         ///< free address ranges, begin to size
  u64 capacity_ = 0, used_ = 0, peak_ = 0, next_serial_ = 1;
};

}  // namespace roofline::sim
