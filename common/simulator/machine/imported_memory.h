// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>

#include "simulator/machine/memory.h"

namespace roofline::sim {

/// Memory of a device that another process has, at addresses of this one: the same bytes, whoever writes
/// them. It takes nothing of this device's memory.
class ImportedMemory {
 public:
  /// `memory` outlives it.
  explicit ImportedMemory(Memory& memory) : memory_(memory) {}
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;

  /// `bytes` from `offset` of a file on, which need not stay open: their address, or 0. `origin`: as of an
  /// allocation.
  u64 open(int file, u64 offset, u64 bytes, const std::string& origin);
  /// False when `address` is not what open() gave.
  bool close(u64 address);
  /// It is gone there: nobody reaches it here any more. Its addresses stay taken until it is closed.
  void lose(u64 address, const std::string& origin);

 private:
  struct Range {
    u64 begin = 0, bytes = 0;  ///< of whole pages
  };
  std::map<u64, Range> open_;  ///< by address
  Memory& memory_;
};

}  // namespace roofline::sim
