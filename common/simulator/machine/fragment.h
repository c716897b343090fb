// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <vector>

#include "simulator/program/function.h"

/// How a warp diverges. A warp runs as one fragment until a branch splits it; the halves meet at a Join,
/// normally the branch's immediate post-dominator. Nothing here is touched by code that does not diverge or
/// call.
namespace roofline::sim {

/// One activation of a function by some lanes of a warp, with rows of its own.
struct Frame {
  const Function* function = nullptr;
  AlignedBytes rows;
  u32 capacity = 0;  ///< bytes of `rows`
  Frame* caller = nullptr;
  struct Join* join = nullptr;  ///< the caller's join
  u32 return_pc = 0;
  u32 lanes = 0;  ///< that entered and have not exited
  u32 returned = 0;
  u64 local_base = 0;   ///< of this frame in every lane's local memory
  u64 stack_bytes = 0;  ///< alloca, above the frame's own local memory
  const CallSite* site = nullptr;
};

/// Where diverged lanes meet.
struct Join {
  u32 pc = kNowhere;
  u32 expected = 0;        ///< lanes that will come
  u32 arrived = 0;         ///< lanes that wait here
  Join* parent = nullptr;  ///< where the lanes go next, in the same frame
  Frame* frame = nullptr;
};

/// Lanes that run together: one program counter, one call stack.
struct Fragment {
  enum class State : u8 { kReady, kAtBarrier, kAtWarpSync };
  State state = State::kReady;
  bool aligned = false;  ///< kAtBarrier: has not been counted yet, waits for the rest of its warp
  u8 barrier = 0;
  u32 mask = 0;
  u32 pc = 0;        ///< of the next instruction; of the waiting one for kAtWarpSync and aligned barriers
  u32 required = 0;  ///< kAtWarpSync: the lanes that must meet (those of them that still live)
  const Instruction* waiting_at = nullptr;
  u32 expected = 0, votes = 0;  ///< kAtBarrier: explicit thread count; true predicates of bar.red
  Frame* frame = nullptr;
  Join* join = nullptr;
};

/// Reusable objects with stable addresses; nothing is freed between blocks.
template <class T>
class Pool {
 public:
  T* take() {
    if (free_.empty()) {
      all_.emplace_back();
      return &all_.back();
    }
    T* object = free_.back();
    free_.pop_back();
    return object;
  }
  void give(T* object) { free_.push_back(object); }
  template <class F>
  void each(F f) {
    for (T& object : all_) f(object);
  }
  void reclaim_all() {
    free_.clear();
    for (T& object : all_) free_.push_back(&object);
  }

 private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

}  // namespace roofline::sim
