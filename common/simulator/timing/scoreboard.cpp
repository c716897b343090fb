// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/scoreboard.h"

#include <algorithm>

#include "simulator/timing/kernel_model.h"

namespace roofline::sim {
namespace {

/// Parts of issue(), which is called for every instruction: what they return stays in registers there.
#define WITHIN_ISSUE inline __attribute__((always_inline))

using Cycles = Scoreboard::Cycles;

Cycles later(Cycles a, Cycles b) { return {std::max(a.l2, b.l2), std::max(a.dram, b.dram)}; }
Cycles plus(Cycles a, double cycles) { return {a.l2 + cycles, a.dram + cycles}; }
Cycles plus(Cycles a, Cycles b) { return {a.l2 + b.l2, a.dram + b.dram}; }

size_t index(Pipe pipe) { return static_cast<size_t>(pipe); }

}  // namespace

Scoreboard::Scoreboard(const DeviceDescription& device) : device_(device) {
  for (const Pipe pipe : kPipesThatCost) {
    const PipeSpeed speed = speed_of(device, pipe);
    interval_[index(pipe)] = speed.rate > 0 ? kSchedulersPerSm / speed.rate : 1;
    latency_[index(pipe)] = speed.latency;
  }
}

void Scoreboard::reset() {
  front_ = issued_ = {};
  predicated_until_ = 0;
  pipe_free_.fill({});
  loaded_.fill({});
  stored_.fill({});
  copies_next_ = false;
  copying_ = {};
  copy_groups_.clear();
  std::fill(ready_.begin(), ready_.end(), Cycles{});
}

WITHIN_ISSUE Cycles Scoreboard::ready_at(Slot slot) const {
  if (slot.bits == 0 || slot.bank() != 0) return {};
  const size_t row = slot.offset() / 64;
  return row < ready_.size() ? ready_[row] : Cycles{};
}

WITHIN_ISSUE void Scoreboard::set_ready(Slot slot, Cycles at) {
  if (slot.bits == 0 || slot.bank() != 0) return;
  const size_t row = slot.offset() / 64;
  if (row >= ready_.size()) ready_.resize(row + 64);
  ready_[row] = at;
}

WITHIN_ISSUE Cycles Scoreboard::sources_ready(const Instruction& in, const InstructionInfo& info) const {
  Cycles at = later(later(ready_at(in.a), ready_at(in.b)), later(ready_at(in.c), ready_at(in.e)));
  if (in.guard_kind != Guard::kNone) at = later(at, ready_at(in.guard));
  // A store keeps its value where other instructions keep their result.
  if (info.is_store) at = later(at, ready_at(in.d));
  if (in.extra != nullptr)
    for (size_t i = written_slots(in, info); i < in.extra->slots.size(); ++i)
      at = later(at, ready_at(in.extra->slots[i]));
  return at;
}

/// Cycles that one sub-partition's Tensor Core works on the instruction.
double Scoreboard::tensor_cycles(const InstructionInfo& info) const {
  const double rate = mma_sync_rate(device_, info.cost.flop_type);
  return rate > 0 ? info.cost.flops * kSchedulersPerSm / rate : 0;
}

double loop_clocks(const DeviceDescription& device, const InstructionInfo& info, u32 turns) {
  return turns * (info.width == 8 ? device.atomic_loop_64_latency : device.atomic_loop_latency);
}

WITHIN_ISSUE Cycles Scoreboard::latency_of(const InstructionInfo& info, MemoryLevel level, u32 passes,
                                           u32 turns) const {
  if (info.cost.pipe == Pipe::kNone) return {};
  const double more_passes = passes > 1 ? passes - 1.0 : 0.0;
  switch (level) {
    case MemoryLevel::kShared: {
      const double passing = device_.shared_latency + more_passes / device_.shared_wavefronts_per_clock;
      const double cycles = std::max(passing, loop_clocks(device_, info, turns));
      return {cycles, cycles};
    }
    case MemoryLevel::kL1:
      return {device_.l1_latency + more_passes, device_.l1_latency + more_passes};
    case MemoryLevel::kBeyondL1:
      return {device_.l2_latency + more_passes, device_.dram_latency + more_passes};
    case MemoryLevel::kNone:
      break;
  }
  // An instruction that hardware does in several steps is a chain: division, 64-bit addition with carry. The
  // parts of a wmma are independent and follow each other as fast as the pipe takes them.
  const double steps = std::max<double>(1, info.cost.pipe_slots());
  double cycles = latency_[index(info.cost.pipe)];
  if (info.cost.pipe == Pipe::kTensor)
    cycles = tensor_latency(device_, info.cost.flop_type, info.cost.flops / steps) +
             tensor_cycles(info) * (1 - 1 / steps);
  else
    cycles = cycles * steps + device_.alu_latency * info.cost.steps;
  return {cycles, cycles};
}

WITHIN_ISSUE Cycles Scoreboard::after_earlier_accesses(Cycles start, const InstructionInfo& info,
                                                       size_t kind) const {
  // What is read through the read-only path (ld.global.nc) is written by nobody during the kernel.
  if (!(info.is_load && info.traits.read_only)) start = later(start, stored_[kind]);
  return info.is_store || info.is_atomic ? later(start, loaded_[kind]) : start;
}

WITHIN_ISSUE Cycles Scoreboard::in_memory_order(Cycles start, const InstructionInfo& info,
                                                MemoryLevel level) {
  if (!info.is_load && !info.is_store && !info.is_atomic) return start;
  const size_t kind = level == MemoryLevel::kShared ? 0 : 1;
  start = after_earlier_accesses(start, info, kind);
  if (info.is_store || info.is_atomic) {
    stored_[kind] = start;
  } else if (!info.traits.read_only) {
    loaded_[kind] = later(loaded_[kind], start);
  }
  return start;
}

Cycles Scoreboard::start_of(const Instruction& in, const InstructionInfo& info) const {
  constexpr size_t kGlobal = 1;  // as in in_memory_order
  return after_earlier_accesses(later(front_, sources_ready(in, info)), info, kGlobal);
}

void Scoreboard::issue(const Instruction& in, const InstructionInfo& info, MemoryLevel level, u32 passes,
                       u32 turns) {
  const Pipe pipe = info.cost.pipe;
  if (pipe != Pipe::kMemory) level = MemoryLevel::kNone;
  Cycles start = sources_ready(in, info);
  if (!in.hidden && in.index >= predicated_until_) predicated_until_ = 0;
  if (predicated_until_ != 0) start = later(start, condition_);
  if (pipe != Pipe::kNone) {
    Cycles& free = pipe_free_[index(pipe)];
    start = in_memory_order(later(later(front_, start), free), info, level);
    const double slots = std::max<double>(1, info.cost.issue);
    double busy = std::max<double>(1, info.cost.pipe_slots()) * interval_[index(pipe)];
    if (pipe == Pipe::kMemory && level != MemoryLevel::kNone) busy += passes > 1 ? passes - 1.0 : 0.0;
    if (pipe == Pipe::kTensor) busy = std::max(busy, tensor_cycles(info));
    // The pipe and the scheduler are busy for the work, not for the wait: others go first meanwhile.
    free = plus(later(free, front_), busy);
    front_ = plus(front_, slots);
    issued_ = later(issued_, plus(start, slots));
    // The next basic block begins when this one has issued and the branch has resolved.
    if (pipe == Pipe::kControl) front_ = issued_ = plus(issued_, device_.control_latency - slots);
  }
  const Cycles done = plus(start, latency_of(info, level, passes, turns));
  if (info.cost.holds == Holds::kResult) front_ = issued_ = later(issued_, done);
  if (info.cost.holds == Holds::kL2) front_ = issued_ = plus(issued_, device_.l2_latency);
  if (copies_next_) {
    copies_next_ = false;
    copying_ = later(copying_, done);
    return;
  }
  if (!info.is_store) {
    set_ready(in.d, done);
    set_ready(in.e, done);
  }
  if (in.extra == nullptr) return;
  for (size_t i = 0; i < written_slots(in, info); ++i) set_ready(in.extra->slots[i], done);
}

void Scoreboard::predicate(const Instruction& in, const InstructionInfo& info, bool skips) {
  if (skips) {
    front_ = plus(front_, info.predication.slots);
    issued_ = later(issued_, front_);
    return;
  }
  const Cycles condition = ready_at(in.a);
  condition_ = predicated_until_ == info.predication.until ? later(condition_, condition) : condition;
  predicated_until_ = info.predication.until;
}

void Scoreboard::commit_copies() {
  if (!copy_groups_.empty()) copying_ = later(copying_, copy_groups_.back());
  copy_groups_.push_back(copying_);
  copying_ = {};
}

void Scoreboard::wait_for_copies(u32 pending, bool uncommitted) {
  if (pending < copy_groups_.size()) front_ = later(front_, copy_groups_[copy_groups_.size() - 1 - pending]);
  if (uncommitted) front_ = later(front_, copying_);
}

void Scoreboard::advance_to(Cycles at, u32 warps) {
  const double others = kBarrierClocksAWarp * (static_cast<double>(warps) - kBarrierWarps);
  front_ = issued_ = plus(later(issued_, at), std::max(device_.barrier_latency + others, 0.0));
}

}  // namespace roofline::sim
