// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "simulator/machine/memory.h"
#include "simulator/program/mapped_memory.h"
#include "simulator/program/memory_homes.h"
#include "simulator/program/shared_bytes.h"

namespace roofline::sim {

/// Addresses and memory apart (cuMemAddressReserve, cuMemCreate, cuMemMap): a range of addresses shows memory
/// that was made without one, as long as it is mapped there, and each GPU's kernels reach it as far as that
/// GPU is allowed to. One piece of memory may be mapped in several places, and one range may show pieces of
/// several GPUs: there is one object for all GPUs of a program, which are numbered by their windows.
class VirtualMemory {
 public:
  VirtualMemory() = default;
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  /// Another GPU.
  void add(Memory& memory);
  /// It ends, or is reset: its pieces go, wherever they are mapped, and what was reserved in its window.
  void remove(Memory& memory);
  /// Whose memory an address shows. As long as this object.
  const MemoryHomes& homes() const { return homes_; }

  /// Addresses without memory in the window of a GPU, 0 when there is no room. `alignment` is a power of two.
  u64 reserve(u32 gpu, u64 bytes, u64 alignment);
  /// A whole reservation in which nothing is mapped.
  bool unreserve(u64 address, u64 bytes);

  /// Memory of zeroes without an address: a number that is never used again, or 0 when the GPU is full.
  u64 create(u32 gpu, u64 bytes);
  /// The GPU that has a piece; nothing where there is no such piece.
  std::optional<u32> gpu_of(u64 piece) const;
  /// Memory of another process as a piece, which takes nothing of the GPU: `bytes` from `offset` of a file
  /// on, which need not stay open. Its number, or 0.
  u64 import(u32 gpu, int file, u64 offset, u64 bytes);
  /// Where a piece is, for other processes.
  std::optional<SharedBytes> bytes_of(u64 piece) const;
  /// One more owner of a piece that exists.
  void retain_piece(u64 piece) { ++pieces_.at(piece).owners; }
  /// One owner less. The memory goes when it has none and is mapped nowhere.
  bool release(u64 piece);

  /// All of a piece. False where the addresses are not reserved, or taken.
  bool map(u64 address, u64 bytes, u64 piece);
  /// Whole mappings, one or several.
  bool unmap(u64 address, u64 bytes);
  /// Likewise: what one GPU may do there. `origin`: as of an allocation.
  bool allow(u64 address, u64 bytes, u32 gpu, MappedAccess access, const std::string& origin);
  std::optional<MappedMemory> mapping_at(u64 address) const;

 private:
  struct Piece {
    u32 gpu = 0;
    u64 place = 0, bytes = 0;  ///< place 0: in another process's memory
    int file = -1;             ///< that holds it
    u64 offset = 0;            ///< there
    u64 owners = 1, mappings = 0;
  };
  using Mappings = std::map<u64, MappedMemory>;  ///< by begin
  struct Reservation {
    u64 bytes = 0;
    Mappings mappings;
    std::string origin;                                      ///< of what kernels reach
    std::array<std::vector<u64>, kMaxDevices> entered = {};  ///< begins in each GPU's table of allocations
  };
  struct Range {
    Reservation* reservation = nullptr;
    Mappings::iterator first, last;
  };

  Reservation* reservation_of(u64 address, u64 bytes);
  std::optional<Range> whole_mappings(u64 address, u64 bytes);
  Mappings::iterator drop(Reservation& reservation, Mappings::iterator mapping);
  void let_go(std::map<u64, Piece>::iterator piece);
  void give_back(const Piece& piece);
  /// Enters what kernels reach into the GPUs' tables: neighbours with equal rights are one allocation.
  void enter(Reservation& reservation);
  void enter(Reservation& reservation, u32 gpu);

  std::array<Memory*, kMaxDevices> memories_{};  ///< nullptr: no such GPU
  MemoryHomes homes_;
  std::map<u64, Reservation> reservations_;  ///< by address
  std::map<u64, Piece> pieces_;              ///< by number
  u64 next_piece_ = 1;
};

}  // namespace roofline::sim
