// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/virtual_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

namespace roofline::sim {

namespace {

bool is_whole(u64 value) { return value % kMappingGranularity == 0; }

}  // namespace

VirtualMemory::~VirtualMemory() {
  for (auto& [address, reservation] : reservations_) {
    for (const auto& [begin, bytes] : reservation.entered) memory_.leave(begin);
    memory_.give_back_addresses(address, reservation.bytes);
  }
  for (const auto& [number, piece] : pieces_) give_back(piece);
}

u64 VirtualMemory::reserve(u64 bytes, u64 alignment) {
  if (bytes == 0 || !is_whole(bytes)) return 0;
  const u64 address = memory_.take_addresses(bytes, std::max(alignment, kMappingGranularity));
  if (address != 0) reservations_[address].bytes = bytes;
  return address;
}

bool VirtualMemory::unreserve(u64 address, u64 bytes) {
  const auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second.bytes != bytes || !found->second.mappings.empty())
    return false;
  memory_.give_back_addresses(address, bytes);
  reservations_.erase(found);
  return true;
}

u64 VirtualMemory::create(u64 bytes) {
  if (bytes == 0 || !is_whole(bytes)) return 0;
  const u64 place = memory_.take_unnamed(bytes);
  if (place == 0) return 0;
  pieces_[next_piece_] = {
      .place = place, .bytes = bytes, .file = memory_.file(), .offset = memory_.offset_of(place)};
  return next_piece_++;
}

u64 VirtualMemory::import(int file, u64 offset, u64 bytes) {
  const int mine = is_whole(bytes) && bytes != 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
  if (mine < 0) return 0;
  pieces_[next_piece_] = {.place = 0, .bytes = bytes, .file = mine, .offset = offset};
  return next_piece_++;
}

std::optional<SharedBytes> VirtualMemory::bytes_of(u64 number) const {
  const auto found = pieces_.find(number);
  if (found == pieces_.end()) return std::nullopt;
  const Piece& piece = found->second;
  return SharedBytes{.id = number, .file = piece.file, .offset = piece.offset, .bytes = piece.bytes};
}

u64 VirtualMemory::retain(u64 address) {
  const auto mapping = mapping_at(address);
  if (!mapping) return 0;
  ++pieces_.at(mapping->piece).owners;
  return mapping->piece;
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
    memory_.give_back_unnamed(piece.place, piece.bytes);
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
  if (!memory_.show(address, piece->second.file, piece->second.offset, bytes)) return false;
  reservation->mappings[address] = {.begin = address, .bytes = bytes, .piece = number};
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
  for (auto mapping = range->first; mapping != range->last; ++mapping) {
    const auto piece = pieces_.find(mapping->second.piece);
    --piece->second.mappings;
    let_go(piece);
  }
  range->reservation->mappings.erase(range->first, range->last);
  enter(*range->reservation);
  memory_.hide(address, bytes);
  return true;
}

bool VirtualMemory::allow(u64 address, u64 bytes, MappedAccess access, const std::string& origin) {
  const auto range = whole_mappings(address, bytes);
  if (!range) return false;
  for (auto mapping = range->first; mapping != range->last; ++mapping) mapping->second.access = access;
  range->reservation->origin = origin;
  enter(*range->reservation);
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
  for (const auto& [begin, bytes] : reservation.entered) memory_.leave(begin);
  reservation.entered.clear();
  for (auto first = reservation.mappings.begin(); first != reservation.mappings.end();) {
    const MappedAccess access = first->second.access;
    u64 bytes = 0;
    auto next = first;
    for (; next != reservation.mappings.end() && next->second.access == access &&
           next->first == first->first + bytes;
         ++next)
      bytes += next->second.bytes;
    if (access != MappedAccess::kNone) {
      memory_.enter(first->first, bytes, reservation.origin, access == MappedAccess::kRead);
      reservation.entered[first->first] = bytes;
    }
    first = next;
  }
}

}  // namespace roofline::sim
