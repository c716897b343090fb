// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/server/board.h"

#include <algorithm>
#include <new>

#include "simulator/channel/messages.h"
#include "simulator/program/address_windows.h"
#include "simulator/program/memory_homes.h"
#include "simulator/server/server.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Both processes can write all of it: whoever limits the program's memory limits this too.
u64 window_bytes(const Options& options) {
  constexpr u64 kPage = 4096;
  if (options.host_memory == 0) return kHostWindowBytes;
  return std::min(kHostWindowBytes, std::max(options.host_memory / kPage, u64{1}) * kPage);
}

/// From an address to where another GPU's memory may begin.
u64 stretch(const MemoryHomes& homes, u64 address) {
  if (address < kDeviceWindow || address >= kHostWindow) return ~u64{0};
  return homes.span_at(address).end - address;
}

}  // namespace

Board::Board(const Options& given)
    : options(given),
      description(load_device(given.devices, given.device)),
      staging("roofline-staging", kStagingBytes),
      window_memory("roofline-host-window", window_bytes(given)),
      clock_memory("roofline-clock", kMachineClockBytes),
      window(kHostWindow, window_memory.size()),
      shown_clock(*new (clock_memory.map()) MachineClock) {
  if (options.device_memory != 0)
    description.memory_bytes = std::min(description.memory_bytes, options.device_memory);
  staging.map();
  window_memory.map_at(kHostWindow);
}

Board::~Board() = default;

u64 Board::allocate_host(u64 bytes, const std::string& origin, u32 owner, bool managed) {
  const u64 address = window.allocate(bytes);
  if (address == 0) return 0;
  for (const auto& gpu : gpus)
    if (!gpu->device().add_host_allocation(address, bytes, origin)) {
      for (const auto& done : gpus) done->device().remove_host_allocation(address);
      window.release(address);
      return 0;
    }
  host_allocations[address] = {bytes, origin, owner};
  if (managed)
    for (const auto& gpu : gpus) gpu->pages().add(address, bytes);
  return address;
}

bool Board::release_host(u64 address) {
  const auto found = host_allocations.find(address);
  if (found == host_allocations.end()) return false;
  host_allocations.erase(found);
  for (const auto& gpu : gpus) {
    gpu->device().remove_host_allocation(address);
    gpu->pages().remove(address);
  }
  if (const auto bytes = window.release(address)) window_memory.discard(address - kHostWindow, *bytes);
  return true;
}

void Board::release_host_of(u32 owner) {
  std::vector<u64> mine;
  for (const auto& [address, allocation] : host_allocations)
    if (allocation.owner == owner) mine.push_back(address);
  for (const u64 address : mine) release_host(address);
  std::erase_if(managed_variables,
                [&](const auto& entry) { return !host_allocations.contains(entry.second); });
}

Server* Board::owner_of(u64 address) const {
  if (address < kDeviceWindow || address >= kHostWindow) return nullptr;
  const u32 index = mapped.homes().of(address);
  return index < gpus.size() ? gpus[index].get() : nullptr;
}

std::vector<Board::Transfer> Board::transfers(u64 to, u64 from, u64 bytes) const {
  std::vector<Transfer> made;
  do {
    const u64 n = std::min({bytes, stretch(mapped.homes(), to), stretch(mapped.homes(), from)});
    Server *source = owner_of(from), *target = owner_of(to);
    const auto same = std::find_if(made.begin(), made.end(), [&](const Transfer& each) {
      return each.source == source && each.target == target;
    });
    if (same == made.end())
      made.push_back({source, target, n});
    else
      same->bytes += n;
    to += n, from += n, bytes -= n;
  } while (bytes != 0);
  return made;
}

}  // namespace roofline::sim::server
