// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <optional>

#include "simulator/channel/shared_handle.h"
#include "simulator/runtime/connection.h"
#include "simulator/runtime/cuda.h"

namespace roofline::sim::runtime {

/// What a cudaMemPool_t points to. A pool reserves memory in chunks; what is free in it above the release
/// threshold goes back to the device at the next synchronisation.
struct MemoryPool {
  int device = 0;
  bool is_default = false;
  bool dying = false;  ///< destroyed while allocations live
  bool exportable = false;
  /// Of another process: nothing is allocated from it here.
  std::optional<channel::SharedHandle> imported = std::nullopt;
  u64 number = 0;  ///< of an imported pool, in that process
  u64 limit = 0;   ///< most bytes it may reserve, 0: all of the device
  u64 release_threshold = 0;
  int reuse[3] = {1, 1, 1};  ///< follow event dependencies, opportunistic, internal dependencies
  u64 used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  std::map<int, cudaMemAccessFlags> access;  ///< of other devices

  static constexpr u64 kChunk = u64{32} << 20;
  void take(u64 bytes);
  void give_back(u64 bytes) { used -= bytes; }
  /// Gives free chunks back until no more than `keep` bytes are reserved.
  void trim(u64 keep);
};

/// Every pool of the program and what was allocated from it. Callers hold the runtime's lock.
class MemoryPools {
 public:
  MemoryPool& default_of(int device);
  MemoryPool& current_of(int device);
  void set_current(int device, MemoryPool& pool) { current_[device] = &pool; }
  MemoryPool& create(int device, u64 limit);
  /// nullptr when the handle is none, or of a pool that was destroyed.
  MemoryPool* find(cudaMemPool_t handle);
  void destroy(MemoryPool& pool);
  static cudaMemPool_t handle_of(MemoryPool& pool) { return reinterpret_cast<cudaMemPool_t>(&pool); }

  void allocated(MemoryPool& pool, u64 address, u64 bytes);
  /// The pool of the allocation around an address, or nullptr.
  MemoryPool* pool_of(u64 address) const;
  /// The allocation is gone.
  void released(u64 address);
  /// The device was synchronised: pools keep no more than their thresholds.
  void synchronized(int device);
  /// Bytes that pools of the device reserve beyond what is allocated from them.
  u64 idle_bytes(int device) const;
  void forget(int device);

 private:
  struct Allocation {
    MemoryPool* pool = nullptr;
    u64 bytes = 0;
  };
  std::map<MemoryPool*, std::unique_ptr<MemoryPool>> pools_;
  std::map<int, MemoryPool*> defaults_, current_;
  std::map<u64, Allocation> allocations_;  ///< by address
};

}  // namespace roofline::sim::runtime
