// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>

#include "simulator/timing/recording.h"

namespace roofline::sim::test {

/// A warp's record made by hand; each call appends one instruction and returns its place, for others to wait
/// for.
class HandMade {
 public:
  u32 add(Recorded r, std::initializer_list<u32> sources = {}) {
    r.first_source = static_cast<u32>(warp_.sources.size());
    r.sources = static_cast<u8>(sources.size());
    warp_.sources.insert(warp_.sources.end(), sources);
    warp_.instructions.push_back(r);
    return static_cast<u32>(warp_.instructions.size() - 1);
  }
  u32 arithmetic(Pipe pipe, std::initializer_list<u32> sources = {}) {
    Recorded r;
    r.pipe = pipe;
    if (pipe == Pipe::kFma) r.flop_type = FlopType::kF32;
    r.issue = 1;
    return add(r, sources);
  }
  /// `passes` of L1's data path or of shared memory; `sectors` beyond L1. No bank conflicts: as many
  /// transfers as passes.
  u32 memory(Recorded::Kind kind, u32 passes, u32 sectors, std::initializer_list<u32> sources = {}) {
    Recorded r;
    r.kind = kind;
    r.pipe = Pipe::kMemory;
    r.issue = 1;
    r.passes = static_cast<u16>(passes);
    r.sectors = static_cast<u16>(sectors);
    if (kind != Recorded::Kind::kShared) r.amount = passes;
    return add(r, sources);
  }
  u32 shared(std::initializer_list<u32> sources = {}) {
    return memory(Recorded::Kind::kShared, 1, 0, sources);
  }
  u32 load(u32 sectors, std::initializer_list<u32> sources = {}) {
    return memory(Recorded::Kind::kLoad, (sectors + 3) / 4, sectors, sources);
  }
  u32 store(u32 sectors, std::initializer_list<u32> sources = {}) {
    return memory(Recorded::Kind::kStore, (sectors + 3) / 4, sectors, sources);
  }
  void commit() { memory(Recorded::Kind::kCommit, 0, 0); }
  void wait_for_copies(u32 pending) {
    Recorded r;
    r.kind = Recorded::Kind::kCopyWait;
    r.pipe = Pipe::kControl;
    r.issue = 1;
    r.amount = pending;
    add(r);
  }
  void barrier(u32 phase) {
    Recorded r;
    r.kind = Recorded::Kind::kArrive;
    r.pipe = Pipe::kControl;
    r.issue = 1;
    r.amount = phase;
    add(r);
    r = {};
    r.kind = Recorded::Kind::kMeet;
    r.amount = phase;
    add(r);
  }
  const WarpRecord& record() const { return warp_; }

 private:
  WarpRecord warp_;
};

/// A block whose warps all do the same.
inline BlockRecord block_of(const HandMade& warp, u32 warps) {
  BlockRecord block;
  block.warps.assign(warps, warp.record());
  return block;
}

}  // namespace roofline::sim::test
