// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/device/virtual_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace roofline::sim {

namespace {

bool is_whole(u64 value) { return value % kMappingGranularity == 0; }

}  // namespace

void VirtualMemory::add(Memory& memory) {
  memories_.at(window_of(memory.window())) = &memory;
  memory.set_homes(homes_);
}

void VirtualMemory::remove(Memory& memory) {
  const u32 gpu = window_of(memory.window());
  for (auto next = reservations_.begin(); next != reservations_.end();) {
    auto& [address, reservation] = *next;
    const bool goes = window_of(address) == gpu;
    for (auto mapping = reservation.mappings.begin(); mapping != reservation.mappings.end();) {
      mapping->second.access[gpu] = MappedAccess::kNone;
      mapping = goes || mapping->second.gpu == gpu ? drop(reservation, mapping) : std::next(mapping);
    }
    enter(reservation);
    if (goes) {
      memory.give_back_addresses(address, reservation.bytes);
      homes_.unreserve(address);
    }
    next = goes ? reservations_.erase(next) : std::next(next);
  }
  std::erase_if(pieces_, [&](const auto& entry) {
    if (entry.second.gpu != gpu) return false;
    give_back(entry.second);
    return true;
  });
  memories_[gpu] = nullptr;
}

u64 VirtualMemory::reserve(u32 gpu, u64 bytes, u64 alignment) {
  if (bytes == 0 || !is_whole(bytes)) return 0;
  const u64 address = memories_.at(gpu)->take_addresses(bytes, std::max(alignment, kMappingGranularity));
  if (address == 0) return 0;
  reservations_[address].bytes = bytes;
  homes_.reserve(address, bytes);
  return address;
}

bool VirtualMemory::unreserve(u64 address, u64 bytes) {
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second.bytes != bytes || !found->second.mappings.empty())
    return false;
  memories_[window_of(address)]->give_back_addresses(address, bytes);
  homes_.unreserve(address);
  reservations_.erase(found);
  return true;
}

u64 VirtualMemory::create(u32 gpu, u64 bytes) {
  if (bytes == 0 || !is_whole(bytes)) return 0;
  Memory& memory = *memories_.at(gpu);
  const u64 place = memory.take_unnamed(bytes);
  if (place == 0) return 0;
  pieces_[next_piece_] = {
      .gpu = gpu, .place = place, .bytes = bytes, .file = memory.file(), .offset = memory.offset_of(place)};
  return next_piece_++;
}

std::optional<u32> VirtualMemory::gpu_of(u64 piece) const {
  const auto found = pieces_.find(piece);
  return found == pieces_.end() ? std::nullopt : std::optional(found->second.gpu);
}

u64 VirtualMemory::import(u32 gpu, int file, u64 offset, u64 bytes) {
  const int mine = is_whole(bytes) && bytes != 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
  if (mine < 0) return 0;
  pieces_[next_piece_] = {.gpu = gpu, .place = 0, .bytes = bytes, .file = mine, .offset = offset};
  return next_piece_++;
}

std::optional<SharedBytes> VirtualMemory::bytes_of(u64 number) const {
  const auto found = pieces_.find(number);
  if (found == pieces_.end()) return std::nullopt;
  const Piece& piece = found->second;
  return SharedBytes{.id = number, .file = piece.file, .offset = piece.offset, .bytes = piece.bytes};
}

bool VirtualMemory::release(u64 number) {
  const auto piece = pieces_.find(number);
  if (piece == pieces_.end() || piece->second.owners == 0) return false;
  --piece->second.owners;
  let_go(piece);
  return true;
}

void VirtualMemory::let_go(std::map<u64, Piece>::iterator piece) {
  if (piece->second.owners != 0 || piece->second.mappings != 0) return;
  give_back(piece->second);
  pieces_.erase(piece);
}

void VirtualMemory::give_back(const Piece& piece) {
  if (piece.place != 0)
    memories_[piece.gpu]->give_back_unnamed(piece.place, piece.bytes);
  else
    close(piece.file);
}

VirtualMemory::Reservation* VirtualMemory::reservation_of(u64 address, u64 bytes) {
  auto next = reservations_.upper_bound(address);
  if (next == reservations_.begin()) return nullptr;
  auto& [begin, reservation] = *std::prev(next);
  const u64 offset = address - begin;
  return offset < reservation.bytes && bytes <= reservation.bytes - offset ? &reservation : nullptr;
}

bool VirtualMemory::map(u64 address, u64 bytes, u64 number) {
  const auto piece = pieces_.find(number);
  if (piece == pieces_.end() || piece->second.bytes != bytes || !is_whole(address)) return false;
  Reservation* reservation = reservation_of(address, bytes);
  if (reservation == nullptr) return false;
  const auto next = reservation->mappings.lower_bound(address);
  if (next != reservation->mappings.end() && next->first < address + bytes) return false;
  if (next != reservation->mappings.begin()) {
    const MappedMemory& before = std::prev(next)->second;
    if (before.begin + before.bytes > address) return false;
  }
  Memory& memory = *memories_[window_of(address)];
  if (!memory.show(address, piece->second.file, piece->second.offset, bytes)) return false;
  reservation->mappings[address] = {
      .begin = address, .bytes = bytes, .piece = number, .gpu = piece->second.gpu};
  homes_.map(address, bytes, piece->second.gpu);
  ++piece->second.mappings;
  return true;
}

/// The mappings that are exactly this range, without a gap.
std::optional<VirtualMemory::Range> VirtualMemory::whole_mappings(u64 address, u64 bytes) {
  Reservation* reservation = reservation_of(address, bytes);
  if (reservation == nullptr || bytes == 0) return std::nullopt;
  const auto first = reservation->mappings.find(address);
  auto last = first;
  u64 covered = 0;
  for (; last != reservation->mappings.end() && covered < bytes; ++last) {
    if (last->first != address + covered) return std::nullopt;
    covered += last->second.bytes;
  }
  if (covered != bytes) return std::nullopt;
  return Range{reservation, first, last};
}

bool VirtualMemory::unmap(u64 address, u64 bytes) {
  const auto range = whole_mappings(address, bytes);
  if (!range) return false;
  for (auto mapping = range->first; mapping != range->last;) mapping = drop(*range->reservation, mapping);
  enter(*range->reservation);
  return true;
}

/// What follows it.
VirtualMemory::Mappings::iterator VirtualMemory::drop(Reservation& reservation, Mappings::iterator mapping) {
  const MappedMemory& gone = mapping->second;
  memories_[window_of(gone.begin)]->hide(gone.begin, gone.bytes);
  homes_.unmap(gone.begin);
  const auto piece = pieces_.find(gone.piece);
  --piece->second.mappings;
  let_go(piece);
  return reservation.mappings.erase(mapping);
}

bool VirtualMemory::allow(u64 address, u64 bytes, u32 gpu, MappedAccess access, const std::string& origin) {
  const auto range = whole_mappings(address, bytes);
  if (!range) return false;
  for (auto mapping = range->first; mapping != range->last; ++mapping)
    mapping->second.access.at(gpu) = access;
  range->reservation->origin = origin;
  enter(*range->reservation, gpu);
  return true;
}

std::optional<MappedMemory> VirtualMemory::mapping_at(u64 address) const {
  const auto reservation = reservations_.upper_bound(address);
  if (reservation == reservations_.begin()) return std::nullopt;
  const auto& mappings = std::prev(reservation)->second.mappings;
  const auto next = mappings.upper_bound(address);
  if (next == mappings.begin()) return std::nullopt;
  const MappedMemory& mapping = std::prev(next)->second;
  if (address - mapping.begin >= mapping.bytes) return std::nullopt;
  return mapping;
}

void VirtualMemory::enter(Reservation& reservation) {
  for (u32 gpu = 0; gpu < kMaxDevices; ++gpu) enter(reservation, gpu);
}

void VirtualMemory::enter(Reservation& reservation, u32 gpu) {
  std::vector<u64>& entered = reservation.entered[gpu];
  for (const u64 begin : entered) memories_[gpu]->leave(begin);
  entered.clear();
  for (auto first = reservation.mappings.begin(); first != reservation.mappings.end();) {
    const MappedAccess access = first->second.access[gpu];
    u64 bytes = 0;
    auto next = first;
    for (; next != reservation.mappings.end() && next->second.access[gpu] == access &&
           next->first == first->first + bytes;
         ++next)
      bytes += next->second.bytes;
    if (access != MappedAccess::kNone) {
      memories_[gpu]->enter(first->first, bytes, reservation.origin, access == MappedAccess::kRead);
      entered.push_back(first->first);
    }
    first = next;
  }
}

}  // namespace roofline::sim
