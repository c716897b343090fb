// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/machine/memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "simulator/program/address_windows.h"
#include "simulator/text.h"

namespace roofline::sim {

namespace {

constexpr u64 kPage = 4096;
constexpr u64 kHostWindowEnd = kHostWindow + (u64{1} << 44);
constexpr std::size_t kRememberedFrees = 4096;

std::atomic<u64> last_epoch{0};
/// Bit i: a device has its memory at place i.
std::atomic<u32> places_taken{0};

u64 round_up(u64 value, u64 unit) { return (value + unit - 1) / unit * unit; }
u64 round_down(u64 value, u64 unit) { return value / unit * unit; }

/// The gap behind an allocation, never handed out: an index that is too big by a block or a row must not land
/// in the next allocation. It costs address space only.
u64 guard_bytes(u64 bytes) {
  return std::clamp<u64>(round_up(bytes / 16, Memory::kAlignment), 4096, u64{1} << 20);
}

std::string describe(const Memory::Allocation& allocation) {
  std::string text =
      std::to_string(allocation.end - allocation.begin) + "-byte allocation at " + hex(allocation.begin);
  if (!allocation.origin.empty()) text += " (" + allocation.origin + ")";
  return text;
}

[[noreturn]] void cannot_map(u64 bytes, const char* step) {
  throw std::runtime_error(
      "cannot reserve " + std::to_string(bytes >> 20) + " MiB of address space for device memory (" + step +
      ": " + std::strerror(errno) +
      "); lift the address-space limit (ulimit -v unlimited) or choose a device with less memory");
}

}  // namespace

Memory::Memory(u64 bytes) : capacity_(bytes) {
  // Twice the capacity, so that guard gaps and holes never make an allocation fail that fits.
  window_bytes_ = round_up(2 * bytes + (u64{1} << 30), kPage);
  file_ = memfd_create("device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file_ < 0) cannot_map(window_bytes_, "memfd_create");
  // Other processes that map it must not find that it has shrunk.
  if (ftruncate(file_, static_cast<off_t>(window_bytes_)) != 0 ||
      fcntl(file_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(file_);
    cannot_map(window_bytes_, "ftruncate");
  }
  void* mapped = MAP_FAILED;
  for (u64 device = 0; device < kMaxDevices && mapped == MAP_FAILED; ++device) {
    window_ = kDeviceWindow + device * kDeviceStride;
    auto* wanted = reinterpret_cast<void*>(window_);
    mapped = mmap(wanted, window_bytes_, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file_, 0);
    if (mapped != MAP_FAILED && mapped != wanted) {  // a kernel that does not know MAP_FIXED_NOREPLACE
      munmap(mapped, window_bytes_);
      mapped = MAP_FAILED;
      errno = EEXIST;
    }
    if (mapped == MAP_FAILED && errno != EEXIST) break;
  }
  if (mapped == MAP_FAILED) {
    close(file_);
    cannot_map(window_bytes_, "mmap");
  }
  holes_[window_ + kPage] = window_bytes_ - kPage;
  places_taken |= 1u << window_of(window_);
  changed();
}

Memory::~Memory() {
  for (Memory* peer : peers_) peer->watchers_.erase(this);
  for (Memory* watcher : watchers_) {
    watcher->peers_.erase(this);
    watcher->changed();
  }
  places_taken &= ~(1u << window_of(window_));
  munmap(reinterpret_cast<void*>(window_), window_bytes_);
  if (bare_bytes_ != 0) munmap(reinterpret_cast<void*>(window_ + window_bytes_), bare_bytes_);
  close(file_);
}

void Memory::changed() {
  epoch_ = ++last_epoch;
  for (Memory* watcher : watchers_) watcher->epoch_ = epoch_;
}

void Memory::allow_peer(Memory& peer, bool allow) {
  if (&peer == this) return;
  if (allow) {
    peers_.insert(&peer);
    peer.watchers_.insert(this);
  } else {
    peers_.erase(&peer);
    peer.watchers_.erase(this);
  }
  changed();
}

/// The first that is large enough, 0 if none is.
u64 Memory::take(std::map<u64, u64>& holes, u64 bytes, u64 alignment) {
  for (auto hole = holes.begin(); hole != holes.end(); ++hole) {
    const auto [begin, size] = *hole;
    const u64 at = round_up(begin, alignment), before = at - begin;
    if (at < begin || size < before || size - before < bytes) continue;
    holes.erase(hole);
    if (before != 0) holes[begin] = before;
    if (size - before > bytes) holes[at + bytes] = size - before - bytes;
    return at;
  }
  return 0;
}

/// Adds a range to the holes around it; the hole that it is then part of.
std::pair<u64, u64> Memory::join(std::map<u64, u64>& holes, u64 begin, u64 bytes) {
  u64 hole_begin = begin, hole_end = begin + bytes;
  auto next = holes.lower_bound(begin);
  if (next != holes.begin()) {
    auto before = std::prev(next);
    if (before->first + before->second == begin) {
      hole_begin = before->first;
      holes.erase(before);
    }
  }
  next = holes.find(hole_end);
  if (next != holes.end()) {
    hole_end += next->second;
    holes.erase(next);
  }
  holes[hole_begin] = hole_end - hole_begin;
  return {hole_begin, hole_end};
}

u64 Memory::rounded_size(const Allocation& allocation) {
  return std::max(round_up(allocation.end - allocation.begin, kAlignment), kAlignment);
}

u64 Memory::place(u64 bytes, const std::string& origin, bool read_only, bool on_heap) {
  const u64 rounded = std::max(round_up(bytes, kAlignment), kAlignment);
  const u64 begin = take(holes_, rounded + guard_bytes(rounded), kAlignment);
  if (begin == 0) return 0;
  forget_freed(begin, begin + rounded);
  live_[begin] = {.begin = begin,
                  .end = begin + bytes,
                  .origin = origin,
                  .host_visible = false,
                  .read_only = read_only,
                  .constant = read_only,
                  .on_heap = on_heap,
                  .is_mapped = false,
                  .for_peers = false,
                  .serial = next_serial_++};
  changed();
  return begin;
}

void Memory::remove(std::map<u64, Allocation>::iterator entry) {
  Allocation allocation = std::move(entry->second);
  live_.erase(entry);
  const u64 begin = allocation.begin, rounded = rounded_size(allocation);
  remember(std::move(allocation));
  give_back(begin, rounded + guard_bytes(rounded));
  changed();
}

u64 Memory::allocate(u64 bytes, const std::string& origin, bool read_only) {
  if (bytes > capacity_) return 0;
  const u64 rounded = std::max(round_up(bytes, kAlignment), kAlignment);
  if (rounded > free_bytes()) return 0;
  const u64 begin = place(bytes, origin, read_only, false);
  if (begin == 0) return 0;
  used_ += rounded;
  peak_ = std::max(peak_, used_);
  return begin;
}

u64 Memory::take_unnamed(u64 bytes) {
  if (bytes > free_bytes()) return 0;
  const u64 place = take(holes_, bytes, kPage);
  if (place == 0) return 0;
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return place;
}

void Memory::give_back_unnamed(u64 place, u64 bytes) {
  used_ -= bytes;
  give_back(place, bytes);
}

u64 Memory::take_addresses(u64 bytes, u64 alignment) {
  if (bare_bytes_ == 0) {
    // Twice the memory, behind all that has some.
    const u64 begin = window_ + window_bytes_;
    const u64 room = std::min(2 * capacity_, kDeviceStride - window_bytes_);
    void* wanted = reinterpret_cast<void*>(begin);
    if (mmap(wanted, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
             0) != wanted)
      return 0;
    bare_bytes_ = room;
    bare_holes_[begin] = room;
  }
  return take(bare_holes_, bytes, alignment);
}

void Memory::give_back_addresses(u64 address, u64 bytes) {
  hide(address, bytes);
  join(bare_holes_, address, bytes);
}

bool Memory::show(u64 address, int file, u64 offset, u64 bytes) {
  return mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, static_cast<off_t>(offset)) != MAP_FAILED;
}

void Memory::hide(u64 address, u64 bytes) {
  void* at = reinterpret_cast<void*>(address);
  if (mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
      MAP_FAILED)
    throw std::runtime_error(std::string("cannot unmap device memory: ") + std::strerror(errno));
}

void Memory::enter(u64 address, u64 bytes, const std::string& origin, bool read_only, bool for_peers) {
  forget_freed(address, address + bytes);
  live_[address] = {.begin = address,
                    .end = address + bytes,
                    .origin = origin,
                    .host_visible = false,
                    .read_only = read_only,
                    .constant = false,
                    .on_heap = false,
                    .is_mapped = true,
                    .for_peers = for_peers,
                    .serial = next_serial_++};
  changed();
}

void Memory::leave(u64 address) {
  auto found = live_.find(address);
  if (found == live_.end() || !found->second.is_mapped) return;
  remember(std::move(found->second));
  live_.erase(found);
  changed();
}

void Memory::rename(u64 address, const std::string& origin) {
  if (const auto found = live_.find(address); found != live_.end()) found->second.origin = origin;
}

bool Memory::release(u64 address) {
  auto found = live_.find(address);
  if (found == live_.end() || found->second.host_visible || found->second.on_heap || found->second.is_mapped)
    return false;
  used_ -= rounded_size(found->second);
  remove(found);
  return true;
}

u64 Memory::allocate_on_heap(u64 bytes, const std::string& origin) {
  if (bytes > free_bytes() || bytes > heap_limit_ || heap_used_ > heap_limit_ - bytes) return 0;
  const u64 begin = place(bytes, origin, false, true);
  if (begin == 0) return 0;
  heap_used_ += bytes;
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return begin;
}

bool Memory::release_on_heap(u64 address) {
  auto found = live_.find(address);
  if (found == live_.end() || !found->second.on_heap) return false;
  const u64 bytes = found->second.end - found->second.begin;
  heap_used_ -= bytes;
  used_ -= bytes;
  remove(found);
  return true;
}

bool Memory::add_host(u64 address, u64 bytes, const std::string& origin) {
  const u64 end = address + std::max<u64>(bytes, 1);
  if (address < kHostWindow || end > kHostWindowEnd || end <= address) return false;
  auto next = live_.lower_bound(address);
  if (next != live_.end() && next->first < end) return false;
  if (next != live_.begin() && std::prev(next)->second.end > address) return false;
  forget_freed(address, end);
  live_[address] = {.begin = address,
                    .end = address + bytes,
                    .origin = origin,
                    .host_visible = true,
                    .read_only = false,
                    .constant = false,
                    .on_heap = false,
                    .is_mapped = false,
                    .for_peers = false,
                    .serial = next_serial_++};
  changed();
  return true;
}

bool Memory::remove_host(u64 address) {
  auto found = live_.find(address);
  if (found == live_.end() || !found->second.host_visible) return false;
  Allocation allocation = std::move(found->second);
  live_.erase(found);
  remember(std::move(allocation));
  changed();
  return true;
}

bool Memory::read_in(u64 address, u64 bytes, int file, u64 offset) {
  for (u64 done = 0; done < bytes;) {
    // From file to file no page is touched before it is full, which takes half the time; where that does not
    // work, through the mapping.
    ssize_t n = -1;
    if (address - window_ < window_bytes_) {
      auto from = static_cast<off_t>(offset + done), to = static_cast<off_t>(address - window_ + done);
      n = copy_file_range(file, &from, file_, &to, bytes - done, 0);
    }
    if (n <= 0)
      n = pread(file, reinterpret_cast<void*>(address + done), bytes - done,
                static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<u64>(n);
  }
  return true;
}

/// Joins a range with the holes around it and drops every page that now holds nothing.
void Memory::give_back(u64 begin, u64 bytes) {
  const auto [hole_begin, hole_end] = join(holes_, begin, bytes);
  // Bytes of a page that it shares with a live neighbour are cleared by hand: new memory reads as zero.
  const u64 clean_begin = std::max(round_down(begin, kPage), round_up(hole_begin, kPage));
  const u64 clean_end = std::min(round_up(begin + bytes, kPage), round_down(hole_end, kPage));
  if (clean_begin >= clean_end) {
    std::memset(reinterpret_cast<void*>(begin), 0, bytes);
    return;
  }
  if (begin < clean_begin) std::memset(reinterpret_cast<void*>(begin), 0, clean_begin - begin);
  if (begin + bytes > clean_end)
    std::memset(reinterpret_cast<void*>(clean_end), 0, begin + bytes - clean_end);
  drop_pages(clean_begin, clean_end);
}

void Memory::drop_pages(u64 begin, u64 end) {
  if (fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin - window_),
                static_cast<off_t>(end - begin)) == 0)
    return;
  std::memset(reinterpret_cast<void*>(begin), 0,
              end - begin);  // a file system without holes: keep the promise
}

void Memory::remember(Allocation allocation) {
  if (freed_.size() >= kRememberedFrees) {
    auto oldest = std::min_element(freed_.begin(), freed_.end(), [](const auto& a, const auto& b) {
      return a.second.serial < b.second.serial;
    });
    freed_.erase(oldest);
  }
  freed_[allocation.begin] = std::move(allocation);
}

void Memory::forget_freed(u64 begin, u64 end) {
  auto entry = freed_.lower_bound(begin);
  if (entry != freed_.begin() && std::prev(entry)->second.end > begin) --entry;
  while (entry != freed_.end() && entry->first < end) entry = freed_.erase(entry);
}

const Memory::Allocation* Memory::find(u64 address) const {
  auto next = live_.upper_bound(address);
  if (next == live_.begin()) return find_at_peer(address);
  const Allocation& candidate = std::prev(next)->second;
  return address < candidate.end ? &candidate : find_at_peer(address);
}

const Memory* Memory::peer_at(u64 address) const {
  for (const Memory* peer : peers_) {
    if (address - peer->window_ < peer->window_bytes_) return peer;
    if (address - peer->window_ >= kDeviceStride) continue;
    const auto next = peer->live_.upper_bound(address);
    if (next != peer->live_.begin() && std::prev(next)->second.for_peers) return peer;
  }
  return nullptr;
}

const Memory::Allocation* Memory::find_at_peer(u64 address) const {
  const Memory* peer = peer_at(address);
  return peer ? peer->find(address) : nullptr;
}

namespace {

/// Of the host program's own memory, as far as an address tells.
bool is_host_address(u64 address) {
  // What is a little before the device's memory is an array's address and a negative index.
  constexpr u64 kNearNull = 0x1'0000, kWindow = u64{1} << 32, kUserEnd = 0x8000'0000'0000,
                kBefore = u64{4} << 30;
  const auto in = [address](u64 window) { return address >= window && address < window + kWindow; };
  if (address < kNearNull || in(kLocalWindow) || in(kSharedWindow)) return false;
  return address < kDeviceWindow - kBefore || (address >= kHostWindowEnd && address < kUserEnd);
}

/// What can be said about an address from its value alone; nothing for device and host-window addresses.
std::optional<std::string> explain_window(u64 address) {
  if (address == 0) return "a null pointer";
  if (address < 0x1'0000)
    return std::to_string(address) + " bytes past a null pointer (an index or member of a null pointer)";
  if (address >= kLocalWindow && address < kLocalWindow + (u64{1} << 32))
    return "an address of another thread's or a dead local variable";
  if (address >= kSharedWindow && address < kSharedWindow + (u64{1} << 32))
    return "a shared-memory address, used where global memory is meant";
  if (is_host_address(address))
    return "a host address (memory from malloc, new or the host's stack); copy the data to memory from "
           "cudaMalloc";
  if (address >= 0x8000'0000'0000) return "not an address at all; an uninitialised or overwritten pointer";
  return std::nullopt;
}

}  // namespace

std::string Memory::explain(u64 address, u64 bytes) const { return explained(address, bytes).text; }

Memory::Explained Memory::explained(u64 address, u64 bytes) const {
  if (auto text = explain_window(address))
    return {*text, is_host_address(address) ? AddressFault::kHostMemory : AddressFault::kOther};
  if (address < kDeviceWindow || address >= kHostWindow) return explained_by_table(address, bytes);
  if (homes_->is_mapped(address) && find(address) == nullptr)
    return {"memory of device " + std::to_string(homes_->of(address)) +
            ", mapped with cuMemMap, that device " + std::to_string(window_of(window_)) +
            " may not access; allow it with cuMemSetAccess"};
  if (homes_->is_reserved(address)) {
    Explained table = explained_by_table(address, bytes);
    if (!homes_->is_mapped(address)) table.text += "; its address is reserved, and no memory is mapped there";
    return table;
  }
  if (const u32 place = window_of(address); place != window_of(window_) && (places_taken >> place & 1)) {
    if (const Memory* peer = peer_at(address)) return peer->explained(address, bytes);
    return {"memory of another GPU, device " + std::to_string(place) +
            "; allow it with cudaDeviceEnablePeerAccess"};
  }
  return explained_by_table(address, bytes);
}

Memory::Explained Memory::explained_by_table(u64 address, u64 bytes) const {
  if (const Allocation* holder = find(address)) {
    if (address + bytes > holder->end)
      return {"the last " + count_of(address + bytes - holder->end, "byte") + " past the end of the " +
                  describe(*holder),
              AddressFault::kPastEnd};
    return {"inside the " + describe(*holder)};
  }
  auto after_freed = freed_.upper_bound(address);
  if (after_freed != freed_.begin()) {
    const Allocation& freed = std::prev(after_freed)->second;
    if (address < freed.end)
      return {count_of(address - freed.begin, "byte") + " into a " + describe(freed) + " that was freed",
              AddressFault::kFreed};
  }
  auto next = live_.upper_bound(address);
  const Allocation* below = next == live_.begin() ? nullptr : &std::prev(next)->second;
  const Allocation* above = next == live_.end() ? nullptr : &next->second;
  if (below && (!above || address - below->end <= above->begin - address))
    return {(address == below->end ? "just" : count_of(address - below->end, "byte")) +
                " past the end of the " + describe(*below),
            AddressFault::kPastEnd};
  if (above)
    return {count_of(above->begin - address, "byte") + " before the start of the " + describe(*above)};
  return {"not inside any allocation"};
}

}  // namespace roofline::sim
