// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "simulator/program/address_windows.h"
#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

namespace {

/// Bytes from the first to the last of a rectangle; empty when that does not fit 64 bits or rows overlap.
std::optional<u64> span_of(const Rectangle& r) {
  if (r.width == 0 || r.height == 0) return 0;
  if (r.height > 1 && r.pitch < r.width) return {};
  u64 rows = 0, span = 0;
  if (__builtin_mul_overflow(r.pitch, r.height - 1, &rows) || __builtin_add_overflow(rows, r.width, &span))
    return {};
  return span;
}

/// Bytes that a rectangle holds; only for one that span_of accepts.
u64 content(const Rectangle& r) { return r.width * r.height; }

/// Bytes of the sectors that it touches in DRAM, which moves whole ones: of each row, where rows are apart.
u64 in_sectors(const Rectangle& r) {
  const auto rounded = [](u64 bytes) { return (bytes + kSectorBytes - 1) / kSectorBytes * kSectorBytes; };
  return r.pitch == r.width ? rounded(content(r)) : rounded(r.width) * r.height;
}

Checker::Rows rows_of(const Rectangle& r) { return {r.address, r.pitch, r.width, r.height}; }

bool in_host_window(u64 address) {
  return address >= kHostWindow && address - kHostWindow < kHostWindowBytes;
}

}  // namespace

CopyKind copy_kind(u64 to, u64 from) {
  const bool to_host = in_host_window(to), from_host = in_host_window(from);
  if (from_host == to_host) return CopyKind::kDeviceToDevice;
  return from_host ? CopyKind::kHostToDevice : CopyKind::kDeviceToHost;
}

u64 Server::device_bytes_in_use() const { return description_.memory_bytes - device_->free_bytes(); }

u64 Server::allocate_host(u64 bytes, const std::string& origin, bool managed) {
  const u64 address = board_.allocate_host(bytes, origin, index_, managed);
  if (address == 0) return 0;
  records_.host_bytes(bytes);
  if (checks_) checks_->host_allocated();
  return address;
}

u64 Server::allocate_managed(u32 program_module, u64 bytes, const std::string& name) {
  u64& address = board_.managed_variables[{program_module, name}];
  if (address == 0) address = allocate_host(bytes, name, true);
  return address;
}

bool Server::holds(u64 address, u64 bytes) const {
  return bytes == 0 || table_for(address).is_valid(address, bytes);
}

const Device& Server::table_for(u64 address) const {
  const Server* owner = board_.owner_of(address);
  return !owner || device_->is_valid(address, 1) ? *device_ : *owner->device_;
}

bool Server::is_valid(const Rectangle& r) const {
  const auto span = span_of(r);
  return span && holds(r.address, *span);
}

bool Server::fits_staging(u64 offset, const Rectangle& r) const {
  return span_of(r) && offset <= kStagingBytes && content(r) <= kStagingBytes - offset;
}

Answer Server::handle(const Allocate& c) {
  timeline_.host_call(description_.api_call_us);
  const std::string origin = checks_ ? checks_->name_allocation(c.origin) + c.site : c.origin;
  const u64 address = device_->allocate(c.bytes, origin);
  if (address == 0) return refuse(Status::kOutOfMemory);
  if (checks_) checks_->allocated(address, c.bytes, origin);
  records_.device_bytes(device_bytes_in_use());
  return give(Address{address});
}

Answer Server::handle(const Release& c) {
  timeline_.host_call(description_.api_call_us);
  Server* owner = board_.owner_of(c.address);
  if (!c.ordered) (owner ? owner : this)->timeline_.synchronize_device();
  if (checks_) checks_->releasing(c.address, c.ordered, known_stream(c.stream) ? c.stream : 0);
  const bool was_shared = board_.sharing.is_pool_memory(c.address) && close_shared(c.address);
  if (!was_shared && (!owner || !owner->device_->release(c.address))) {
    if (checks_) checks_->release_refused(c.address);
    return refuse(Status::kInvalidValue);
  }
  if (owner) board_.sharing.take_back(Shared::kMemory, owner->index_, c.address);
  if (!c.ordered) records_.host_waited_to_free();
  return give(Nothing{});
}

Answer Server::handle(const AllocateHost& c) {
  timeline_.host_call(description_.api_call_us);
  const u64 address = allocate_host(c.bytes, c.origin, c.managed);
  if (address == 0) return refuse(Status::kOutOfMemory);
  return give(Address{address});
}

Answer Server::handle(const ReleaseHost& c) {
  timeline_.host_call(description_.api_call_us);
  timeline_.synchronize_device();
  if (checks_) checks_->streams().host_waited_for_device();
  if (!board_.release_host(c.address)) return refuse(Status::kInvalidValue);
  records_.host_waited_to_free();
  return give(Nothing{});
}

Answer Server::handle(const CopyIn& c) {
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  if (!is_valid(c.to) || !fits_staging(c.staging_offset, c.to)) return refuse(Status::kInvalidValue);
  const std::byte* from = staging_.data() + c.staging_offset;
  for (u64 row = 0; row < c.to.height && c.to.width; row++)
    std::memcpy(device_->at(c.to.address + row * c.to.pitch), from + row * c.to.width, c.to.width);
  if (checks_) checks_->copied_in(c.stream, rows_of(c.to), !c.async);
  book_copy(CopyKind::kHostToDevice, content(c.to), c.stream, true, c.async, c.more);
  return give(Nothing{});
}

void Server::given(const MemoryRange& range) {
  if (!range.keeps_l2) device_->empty_l2();
  if (!checks_) return;
  checks_->select(index_);
  checks_->copied_in(kLegacyDefaultStream, rows_of({range.address, range.bytes, range.bytes, 1}), true);
  if (range.garbage) checks_->unwritten(range.address, range.bytes);
}

Answer Server::handle(const CopyOut& c) {
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  if (!is_valid(c.from) || !fits_staging(c.staging_offset, c.from)) return refuse(Status::kInvalidValue);
  std::byte* to = staging_.data() + c.staging_offset;
  for (u64 row = 0; row < c.from.height && c.from.width; row++)
    std::memcpy(to + row * c.from.width, device_->at(c.from.address + row * c.from.pitch), c.from.width);
  if (checks_) checks_->copied_out(c.stream, rows_of(c.from), true);
  book_copy(CopyKind::kDeviceToHost, content(c.from), c.stream, true, c.async, c.more);
  return give(Nothing{});
}

Answer Server::handle(const CopyWithin& c) {
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  const Rectangle from{c.from, c.from_pitch, c.to.width, c.to.height};
  if (!is_valid(c.to) || !is_valid(from)) return refuse(Status::kInvalidValue);
  for (u64 row = 0; row < c.to.height && c.to.width; row++)
    std::memmove(device_->at(c.to.address + row * c.to.pitch), device_->at(c.from + row * c.from_pitch),
                 c.to.width);
  if (checks_) {
    const bool on_host = copy_kind(c.to.address, c.from) != CopyKind::kDeviceToDevice;
    checks_->copied_within(c.stream, rows_of(c.to), rows_of(from), !c.async && on_host);
  }
  book_within(c.to.address, c.from, content(c.to), std::max(in_sectors(c.to), in_sectors(from)), c.stream,
              c.async, c.more);
  return give(Nothing{});
}

Answer Server::handle(const Fill& c) {
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  if (!is_valid(c)) return refuse(Status::kInvalidValue);
  fill(c, c.stream);
  return give(Nothing{});
}

bool Server::is_valid(const Fill& c) const {
  if (c.element_bytes != 1 && c.element_bytes != 2 && c.element_bytes != 4) return false;
  return is_valid(c.to) && c.to.width % c.element_bytes == 0 && c.to.address % c.element_bytes == 0 &&
         (c.to.height <= 1 || c.to.pitch % c.element_bytes == 0);
}

void Server::fill(const Fill& c, u32 stream) {
  for (u64 row = 0; row < c.to.height && c.to.width; row++) {
    std::byte* at = device_->at(c.to.address + row * c.to.pitch);
    if (c.element_bytes == 1)
      std::memset(at, static_cast<int>(c.value & 0xff), c.to.width);
    else
      for (u64 i = 0; i < c.to.width; i += c.element_bytes) std::memcpy(at + i, &c.value, c.element_bytes);
  }
  if (checks_) checks_->filled(stream, rows_of(c.to));
  timeline_.fill(stream, content(c.to));
  timeline_.clear_entries();
  records_.filled(content(c.to), c.element_bytes, stream);
}

void Server::book_within(u64 to, u64 from, u64 bytes, u64 sector_bytes, u32 stream, bool async, bool more) {
  const CopyKind kind = copy_kind(to, from);
  records_.copied(kind, bytes, stream);
  const std::vector<Board::Transfer> transfers = board_.transfers(to, from, bytes);
  if (transfers.size() == 1 && !transfers.front().uses_link())
    return time_copy(kind, kind == CopyKind::kDeviceToDevice ? sector_bytes : bytes, stream, false, async,
                     more);
  flush_copy();
  for (const Board::Transfer& each : transfers) {
    if (!each.uses_link()) {
      time_copy(kind, each.bytes, stream, false, async, false);
      continue;
    }
    timeline_.peer_copy(stream, each.bytes, each.source->timeline_, each.target->timeline_);
    over_link(*each.source, *each.target, each.bytes);
    timeline_.clear_entries();
  }
}

void Server::book_copy(CopyKind kind, u64 bytes, u32 stream, bool pageable, bool async, bool more) {
  records_.copied(kind, bytes, stream);
  time_copy(kind, bytes, stream, pageable, async, more);
}

void Server::time_copy(CopyKind kind, u64 bytes, u32 stream, bool pageable, bool async, bool more) {
  const bool same =
      copy_.kind == kind && copy_.stream == stream && copy_.pageable == pageable && copy_.async == async;
  if (!same) flush_copy();
  copy_ = {copy_.bytes + bytes, kind, stream, pageable, async};
  if (!more) flush_copy();
}

void Server::flush_copy() {
  if (copy_.bytes) {
    timeline_.copy(copy_.stream, copy_.kind, copy_.bytes, copy_.pageable, copy_.async);
    const bool waits = !copy_.async || (copy_.pageable && copy_.kind == CopyKind::kDeviceToHost);
    if (waits && copy_.kind != CopyKind::kDeviceToDevice) records_.host_waited();
  }
  copy_.bytes = 0;
  timeline_.clear_entries();
}

Answer Server::handle(const QueryMemory&) {
  return give(MemoryState{device_->free_bytes(), description_.memory_bytes});
}

Answer Server::handle(const QueryAllocation& c) {
  const auto found = table_for(c.address).allocation_of(c.address);
  if (!found) return give(AllocationState{});
  const Server* owner = board_.owner_of(c.address);
  return give(AllocationState{true, found->first, found->second, (owner ? owner : this)->index_});
}

Answer Server::handle(const SetLimit& c) {
  if (c.limit == SetLimit::Limit::kHeap)
    device_->set_heap_bytes(c.bytes);
  else if (c.limit == SetLimit::Limit::kStack)
    device_->set_stack_bytes(c.bytes);
  else if (c.limit == SetLimit::Limit::kPendingLaunches)
    device_->set_pending_launches(c.bytes);
  else
    return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const AllowPeer& c) {
  if (c.peer >= board_.gpus.size() || c.peer == index_) return refuse(Status::kInvalidDevice);
  timeline_.host_call(description_.api_call_us);
  device_->allow_peer(board_.gpus[c.peer]->device(), c.allow);
  return give(Nothing{});
}

Answer Server::handle(const PrefetchManaged& c) {
  if (!known_stream(c.stream)) return refuse(Status::kInvalidHandle);
  if (!device_->is_valid(c.address, c.bytes)) return refuse(Status::kInvalidValue);
  pages_.set_capacity(device_->free_bytes());
  const ManagedMemory::Moves moves = pages_.prefetch(c.address, c.bytes, c.to_device);
  if (moves.in_bytes + moves.out_bytes == 0) timeline_.host_call(description_.api_call_us);
  if (moves.out_bytes != 0) timeline_.copy(c.stream, CopyKind::kDeviceToHost, moves.out_bytes, false, true);
  if (moves.in_bytes != 0) timeline_.copy(c.stream, CopyKind::kHostToDevice, moves.in_bytes, false, true);
  timeline_.clear_entries();
  records_.migrated(moves.in_bytes);
  return give(Nothing{});
}

Answer Server::handle(const CreateTexture& c) {
  timeline_.host_call(description_.api_call_us);
  if (!is_sound(c.object)) return refuse(Status::kInvalidValue);
  records_.object_created();
  return give(Address{device_->add_texture(c.object)});
}

Answer Server::handle(const DestroyTexture& c) {
  timeline_.host_call(description_.api_call_us);
  return device_->remove_texture(c.number) ? give(Nothing{}) : refuse(Status::kInvalidValue);
}

}  // namespace roofline::sim::server
