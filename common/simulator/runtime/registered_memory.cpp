// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/registered_memory.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "simulator/runtime/address.h"
#include "simulator/runtime/connection.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

/// Whether the range is ordinary memory of this program alone: private, writable, no stack.
bool is_ordinary(u64 begin, u64 end) {
  std::ifstream maps("/proc/self/maps");
  u64 covered = begin;
  for (std::string line; covered < end && std::getline(maps, line);) {
    unsigned long from = 0, to = 0;
    char rights[5] = {};
    if (std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, rights) != 3 || to <= covered) continue;
    if (from > covered || std::strcmp(rights, "rw-p") != 0 || line.find("[stack") != std::string::npos)
      return false;
    covered = to;
  }
  const u64 here = reinterpret_cast<u64>(__builtin_frame_address(0));  // threads' stacks have no name
  return covered >= end && (here < begin || here >= end);
}

/// Gives [pages, pages + bytes) its contents in ordinary memory.
void make_ordinary(u64 pages, u64 bytes) {
  if (msync(pointer(pages), bytes, MS_ASYNC) != 0) return;  // the program has unmapped it meanwhile
  void* const fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return;
  std::memcpy(fresh, pointer(pages), bytes);
  mremap(fresh, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(pages));
}

}  // namespace

void RegisteredMemory::put_into_window(Connection& connection, Region& region) {
  const u64 begin = region.pages, end = begin + region.page_bytes;
  for (const auto& [address, other] : regions_)
    if (other.window && other.pages < end && begin < other.pages + other.page_bytes) return;
  if (!is_ordinary(begin, end)) return;
  Address answer;
  if (connection.call(AllocateHost{region.page_bytes, "cudaHostRegister"}, answer) != Status::kOk) return;
  std::memcpy(pointer(answer.address), pointer(begin), region.page_bytes);
  // A second mapping of the window's pages in place of the program's own.
  if (mremap(pointer(answer.address), 0, region.page_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, pointer(begin)) ==
      MAP_FAILED) {
    connection.call(ReleaseHost{answer.address});
    return;
  }
  region.window = answer.address;
}

void RegisteredMemory::add(Connection& connection, u64 address, u64 bytes, unsigned flags, int device) {
  Region region{bytes, flags, device};
  region.pages = address / kPage * kPage;
  region.page_bytes = (address + bytes + kPage - 1) / kPage * kPage - region.pages;
  put_into_window(connection, region);
  regions_[address] = region;
}

bool RegisteredMemory::remove(Connection& connection, u64 address) {
  const auto found = regions_.find(address);
  if (found == regions_.end()) return false;
  if (const Region& region = found->second; region.window) {
    make_ordinary(region.pages, region.page_bytes);
    connection.call(ReleaseHost{region.window});
  }
  regions_.erase(found);
  return true;
}

void RegisteredMemory::remove_of(Connection& connection, int device) {
  for (auto next = regions_.begin(); next != regions_.end();) {
    const u64 address = next->first;
    const bool mine = next->second.device == device;
    ++next;
    if (mine) remove(connection, address);
  }
}

bool RegisteredMemory::overlaps(u64 address, u64 bytes) const {
  for (const auto& [begin, region] : regions_)
    if (address < begin + region.bytes && begin < address + bytes) return true;
  return false;
}

RegisteredMemory::Regions::const_iterator RegisteredMemory::find(u64 address, u64 bytes) const {
  auto next = regions_.upper_bound(address);
  if (next == regions_.begin()) return regions_.end();
  --next;
  const u64 offset = address - next->first;
  return offset < next->second.bytes && bytes <= next->second.bytes - offset ? next : regions_.end();
}

RegisteredMemory::Regions::const_iterator RegisteredMemory::find_by_window(u64 address) const {
  for (auto each = regions_.begin(); each != regions_.end(); ++each)
    if (each->second.window && address - each->second.window < each->second.page_bytes) return each;
  return regions_.end();
}

}  // namespace roofline::sim::runtime
