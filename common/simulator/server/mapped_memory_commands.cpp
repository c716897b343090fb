// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Addresses and memory apart: what the driver API's cuMem* functions ask for.
#include <bit>

#include "simulator/server/answers.h"

namespace roofline::sim::server {

using namespace channel;

Server& Server::owner_of(u64 address) {
  Server* owner = board_.owner_of(address);
  return owner ? *owner : *this;
}

Answer Server::handle(const ReserveAddresses& c) {
  timeline_.host_call(description_.api_call_us);
  if (c.alignment != 0 && !std::has_single_bit(c.alignment)) return refuse(Status::kInvalidValue);
  const u64 address = board_.mapped.reserve(index_, c.bytes, c.alignment);
  return address != 0 ? give(Address{address}) : refuse(Status::kOutOfMemory);
}

Answer Server::handle(const FreeAddresses& c) {
  timeline_.host_call(description_.api_call_us);
  if (!board_.mapped.unreserve(c.address, c.bytes)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const CreateMemory& c) {
  timeline_.host_call(description_.api_call_us);
  const u64 piece = board_.mapped.create(index_, c.bytes);
  if (piece == 0) return refuse(Status::kOutOfMemory);
  records_.device_bytes(device_bytes_in_use());
  return give(Address{piece});
}

Answer Server::handle(const ReleaseMemory& c) {
  timeline_.host_call(description_.api_call_us);
  if (!board_.mapped.release(c.piece)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const MapMemory& c) {
  timeline_.host_call(description_.api_call_us);
  if (!board_.mapped.map(c.address, c.bytes, c.piece)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const UnmapMemory& c) {
  timeline_.host_call(description_.api_call_us);
  timeline_.synchronize_device();
  if (checks_) checks_->streams().host_waited_for_device();
  if (!board_.mapped.unmap(c.address, c.bytes)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

bool Server::shows_peers(u64 address, u64 bytes) const {
  const u64 end = address + bytes;
  for (auto each = board_.mapped.mapping_at(address); each && each->begin < end;
       each = board_.mapped.mapping_at(each->begin + each->bytes))
    if (each->gpu != index_) return true;
  return false;
}

Answer Server::handle(const AllowAccess& c) {
  timeline_.host_call(description_.api_call_us);
  if (c.access > MappedAccess::kReadWrite) return refuse(Status::kInvalidValue);
  if (c.access != MappedAccess::kNone && description_.peer_access == 0 && shows_peers(c.address, c.bytes))
    return refuse(Status::kNotSupported, "cuMemSetAccess: this GPU cannot reach the memory of another one");
  // The checks of unwritten memory and of leaks do not know it: one piece may have several addresses.
  if (!board_.mapped.allow(c.address, c.bytes, index_, c.access, "cuMemMap" + c.site))
    return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const QueryMapping& c) {
  if (c.piece != 0) {
    const auto gpu = board_.mapped.gpu_of(c.piece);
    return give(MappingState{.found = gpu.has_value(), .gpu = gpu.value_or(0)});
  }
  const auto mapping = board_.mapped.mapping_at(c.address);
  if (!mapping) return give(MappingState{});
  if (c.retain) board_.mapped.retain_piece(mapping->piece);
  return give(MappingState{true, mapping->begin, mapping->bytes, mapping->piece, mapping->gpu,
                           mapping->access[index_]});
}

}  // namespace roofline::sim::server
