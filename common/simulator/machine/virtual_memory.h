// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>

#include "simulator/machine/memory.h"
#include "simulator/program/mapped_memory.h"
#include "simulator/program/shared_bytes.h"

namespace roofline::sim {

/// Addresses and memory apart (cuMemAddressReserve, cuMemCreate, cuMemMap): a range of addresses shows memory
/// that was made without one, as long as it is mapped there, and kernels reach it as far as they are allowed
/// to. One piece of memory may be mapped in several places.
class VirtualMemory {
 public:
  /// `memory` outlives it.
  explicit VirtualMemory(Memory& memory) : memory_(memory) {}
  ~VirtualMemory();
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  /// Addresses without memory, 0 when there is no room. `alignment` is a power of two.
  u64 reserve(u64 bytes, u64 alignment);
  /// A whole reservation in which nothing is mapped.
  bool unreserve(u64 address, u64 bytes);

  /// Memory of zeroes without an address: a number that is never used again, or 0 when the device is full.
  u64 create(u64 bytes);
  bool exists(u64 piece) const { return pieces_.contains(piece); }
  /// Memory of another process as a piece, which takes nothing of the device: `bytes` from `offset` of a file
  /// on, which need not stay open. Its number, or 0.
  u64 import(int file, u64 offset, u64 bytes);
  /// Where a piece is, for other processes.
  std::optional<SharedBytes> bytes_of(u64 piece) const;
  /// One more owner of a piece that exists.
  void retain_piece(u64 piece) { ++pieces_.at(piece).owners; }
  /// One more owner of what is mapped at an address: its number, or 0.
  u64 retain(u64 address);
  /// One owner less. The memory goes when it has none and is mapped nowhere.
  bool release(u64 piece);

  /// All of a piece. False where the addresses are not reserved, or taken.
  bool map(u64 address, u64 bytes, u64 piece);
  /// Whole mappings, one or several.
  bool unmap(u64 address, u64 bytes);
  /// Likewise. `origin`: as of an allocation.
  bool allow(u64 address, u64 bytes, MappedAccess access, const std::string& origin);
  std::optional<MappedMemory> mapping_at(u64 address) const;

 private:
  struct Piece {
    u64 place = 0, bytes = 0;  ///< place 0: in another process's memory
    int file = -1;             ///< that holds it
    u64 offset = 0;            ///< there
    u64 owners = 1, mappings = 0;
  };
  struct Reservation {
    u64 bytes = 0;
    std::map<u64, MappedMemory> mappings;  ///< by begin
    std::string origin;                    ///< of what kernels reach
    std::map<u64, u64> entered;            ///< in the table of allocations: begin to size
  };
  struct Range {
    Reservation* reservation = nullptr;
    std::map<u64, MappedMemory>::iterator first, last;
  };

  Reservation* reservation_of(u64 address, u64 bytes);
  std::optional<Range> whole_mappings(u64 address, u64 bytes);
  void let_go(std::map<u64, Piece>::iterator piece);
  void give_back(const Piece& piece);
  /// Enters what kernels reach into the table: neighbours with equal rights are one allocation.
  void enter(Reservation& reservation);

  Memory& memory_;
  std::map<u64, Reservation> reservations_;  ///< by address
  std::map<u64, Piece> pieces_;              ///< by number
  u64 next_piece_ = 1;
};

}  // namespace roofline::sim
