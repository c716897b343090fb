// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/memory_pool.h"

#include <algorithm>
#include <iterator>

namespace roofline::sim::runtime {
namespace {

u64 in_chunks(u64 bytes) {
  return (bytes + MemoryPool::kChunk - 1) / MemoryPool::kChunk * MemoryPool::kChunk;
}

}  // namespace

void MemoryPool::take(u64 bytes) {
  used += bytes;
  used_high = std::max(used_high, used);
  reserved = std::max(reserved, in_chunks(used));
  reserved_high = std::max(reserved_high, reserved);
}

void MemoryPool::trim(u64 keep) {
  if (keep < reserved) reserved = std::min(reserved, std::max(in_chunks(used), in_chunks(keep)));
}

MemoryPool& MemoryPools::default_of(int device) {
  MemoryPool*& found = defaults_[device];
  if (!found) {
    found = &create(device, 0);
    found->is_default = true;
  }
  return *found;
}

MemoryPool& MemoryPools::current_of(int device) {
  const auto chosen = current_.find(device);
  return chosen == current_.end() ? default_of(device) : *chosen->second;
}

MemoryPool& MemoryPools::create(int device, u64 limit) {
  auto pool = std::make_unique<MemoryPool>();
  MemoryPool& made = *pool;
  made.device = device;
  made.limit = limit;
  pools_.emplace(&made, std::move(pool));
  return made;
}

MemoryPool* MemoryPools::find(cudaMemPool_t handle) {
  const auto found = pools_.find(reinterpret_cast<MemoryPool*>(handle));
  return found == pools_.end() || found->second->dying ? nullptr : found->second.get();
}

void MemoryPools::destroy(MemoryPool& pool) {
  std::erase_if(current_, [&](const auto& entry) { return entry.second == &pool; });
  pool.dying = true;
  pool.release_threshold = 0;
  if (pool.used == 0) pools_.erase(&pool);
}

void MemoryPools::allocated(MemoryPool& pool, u64 address, u64 bytes) {
  pool.take(bytes);
  allocations_[address] = {&pool, bytes};
}

MemoryPool* MemoryPools::pool_of(u64 address) const {
  const auto next = allocations_.upper_bound(address);
  if (next == allocations_.begin()) return nullptr;
  const auto& [begin, allocation] = *std::prev(next);
  return address - begin < allocation.bytes ? allocation.pool : nullptr;
}

void MemoryPools::released(u64 address) {
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return;
  MemoryPool& pool = *found->second.pool;
  pool.give_back(found->second.bytes);
  allocations_.erase(found);
  if (pool.dying && pool.used == 0) pools_.erase(&pool);
}

void MemoryPools::synchronized(int device) {
  for (auto& [key, pool] : pools_)
    if (pool->device == device) pool->trim(pool->release_threshold);
}

u64 MemoryPools::idle_bytes(int device) const {
  u64 idle = 0;
  for (const auto& [key, pool] : pools_)
    if (pool->device == device && pool->reserved > pool->used) idle += pool->reserved - pool->used;
  return idle;
}

void MemoryPools::forget(int device) {
  std::erase_if(allocations_, [&](const auto& entry) { return entry.second.pool->device == device; });
  defaults_.erase(device);
  current_.erase(device);
  std::erase_if(pools_, [&](const auto& entry) { return entry.second->device == device; });
}

}  // namespace roofline::sim::runtime
