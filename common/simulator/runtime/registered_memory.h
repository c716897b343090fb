// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "simulator/types.h"

namespace roofline::sim::runtime {

class Connection;

/// Host memory that the program registered (cudaHostRegister). So that kernels reach it, its pages are
/// replaced by pages of the host window with the same contents: the program keeps its addresses, and the
/// device sees the same bytes at an address of its own. Limits: a thread that writes to these pages during
/// the call may lose its write; a forked child shares them; pages that already belong to another
/// registration, to the stack or to a file stay where they are, so that only copies reach them.
class RegisteredMemory {
 public:
  struct Region {
    u64 bytes = 0;
    unsigned flags = 0;
    int device = 0;
    u64 pages = 0, page_bytes = 0;  ///< the program's pages that were replaced
    u64 window = 0;                 ///< where `pages` lies in the host window; 0: it does not
  };

  /// Replaces pages where that is possible.
  void add(Connection& connection, u64 address, u64 bytes, unsigned flags, int device);
  /// Gives the program ordinary pages back. False when `address` is not the start of a region.
  bool remove(Connection& connection, u64 address);
  void remove_of(Connection& connection, int device);

  bool overlaps(u64 address, u64 bytes) const;
  /// The region that holds [address, address + bytes), with its start; end() when there is none.
  using Regions = std::map<u64, Region>;
  Regions::const_iterator find(u64 address, u64 bytes) const;
  Regions::const_iterator find_by_window(u64 address) const;
  Regions::const_iterator end() const { return regions_.end(); }

 private:
  void put_into_window(Connection& connection, Region& region);

  Regions regions_;
};

}  // namespace roofline::sim::runtime
