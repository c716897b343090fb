// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/imported_memory.h"

namespace roofline::sim {

namespace {

constexpr u64 kPage = 4096;

}  // namespace

ImportedMemory::~ImportedMemory() {
  while (!open_.empty()) close(open_.begin()->first);
}

u64 ImportedMemory::open(int file, u64 offset, u64 bytes, const std::string& origin) {
  const u64 before = offset % kPage, pages = (before + bytes + kPage - 1) / kPage * kPage;
  // One more, so that an index that is a little too big is not inside the neighbour.
  const u64 begin = memory_.take_addresses(pages + kPage, kPage);
  if (begin == 0) return 0;
  if (!memory_.show(begin, file, offset - before, pages)) {
    memory_.give_back_addresses(begin, pages + kPage);
    return 0;
  }
  const u64 address = begin + before;
  memory_.enter(address, bytes, origin, false, true);
  open_[address] = {begin, pages + kPage};
  return address;
}

bool ImportedMemory::close(u64 address) {
  const auto found = open_.find(address);
  if (found == open_.end()) return false;
  memory_.leave(address);
  memory_.give_back_addresses(found->second.begin, found->second.bytes);
  open_.erase(found);
  return true;
}

void ImportedMemory::lose(u64 address, const std::string& origin) {
  memory_.rename(address, origin);
  memory_.leave(address);
}

}  // namespace roofline::sim
