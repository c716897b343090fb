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
  const u64 address = device_->reserve_addresses(c.bytes, c.alignment);
  return address != 0 ? give(Address{address}) : refuse(Status::kOutOfMemory);
}

Answer Server::handle(const FreeAddresses& c) {
  timeline_.host_call(description_.api_call_us);
  if (!owner_of(c.address).device_->free_addresses(c.address, c.bytes)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const CreateMemory& c) {
  timeline_.host_call(description_.api_call_us);
  const u64 piece = device_->create_memory(c.bytes);
  if (piece == 0) return refuse(Status::kOutOfMemory);
  records_.device_bytes(device_bytes_in_use());
  return give(Address{piece});
}

Answer Server::handle(const ReleaseMemory& c) {
  timeline_.host_call(description_.api_call_us);
  if (!device_->release_memory(c.piece)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const MapMemory& c) {
  timeline_.host_call(description_.api_call_us);
  if (!device_->map_memory(c.address, c.bytes, c.piece)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const UnmapMemory& c) {
  timeline_.host_call(description_.api_call_us);
  timeline_.synchronize_device();
  if (checks_) checks_->streams().host_waited_for_device();
  if (!owner_of(c.address).device_->unmap_memory(c.address, c.bytes)) return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const AllowAccess& c) {
  timeline_.host_call(description_.api_call_us);
  if (c.access > MappedAccess::kReadWrite) return refuse(Status::kInvalidValue);
  // The checks of unwritten memory and of leaks do not know it: one piece may have several addresses.
  if (!owner_of(c.address).device_->allow_access(c.address, c.bytes, c.access, "cuMemMap" + c.site))
    return refuse(Status::kInvalidValue);
  return give(Nothing{});
}

Answer Server::handle(const QueryMapping& c) {
  if (c.piece != 0) return give(MappingState{.found = device_->has_memory(c.piece)});
  Server& owner = owner_of(c.address);
  const auto mapping = owner.device_->mapping_at(c.address);
  if (!mapping) return give(MappingState{});
  if (c.retain) owner.device_->retain_memory(c.address);
  return give(MappingState{true, mapping->begin, mapping->bytes, mapping->piece, mapping->access});
}

}  // namespace roofline::sim::server
