// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "simulator/program/instruction.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

/// Where a warp's memory request was answered.
enum class MemoryLevel : u8 { kNone, kShared, kL1, kBeyondL1 };

/// A barrier takes one warp after the other: blocks of 1 to 32 warps take 13 + 2 warps clocks a step of a
/// loop with a barrier on an H100 and an H200 alike (docs/results/probes.md). barrier_latency is that of
/// kBarrierWarps.
inline constexpr double kBarrierClocksAWarp = 2;
inline constexpr u32 kBarrierWarps = 8;

/// Clocks of an AtomicForm::kLoop whose lanes take so many turns, alone.
double loop_clocks(const DeviceDescription& device, const InstructionInfo& info, u32 turns);

/// How many leading Extra::slots an instruction writes.
inline size_t written_slots(const Instruction& in, const InstructionInfo& info) {
  const bool all = info.is_load && in.extra->written == 0;
  return all ? in.extra->slots.size() : std::min<size_t>(in.extra->written, in.extra->slots.size());
}

/// Dependency time of one warp: an instruction starts when its sources are ready, loads overlap until their
/// value is used. PTX is not in the order of SASS: ptxas schedules within a basic block, so here instructions
/// of a basic block start in the order of their data; a branch or barrier waits until all of them have been
/// issued, and memory accesses of one kind (shared, other) do not pass stores. Kept twice, for loads beyond
/// L1 answered by L2 and by DRAM; the kernel model interpolates with the kernel's real hit rate. Used only in
/// a few sampled blocks.
///
/// Slots: a, b, c, e and the guard are waited for, d and e are written. The first Extra::written of
/// Extra::slots are written, all of them by a load that does not say how many; the rest is waited for. A slot
/// of bits 0 is no operand.
class Scoreboard {
 public:
  explicit Scoreboard(const DeviceDescription& device);
  void reset();
  /// The warp issued an instruction. `passes`: shared wavefronts or memory sectors/4, at least 1; `turns`: of
  /// an AtomicForm::kLoop.
  void issue(const Instruction& in, const InstructionInfo& info, MemoryLevel level, u32 passes,
             u32 turns = 0);
  /// A branch that is none in machine code: what it skips waits for its condition. `skips`: all lanes took
  /// it.
  void predicate(const Instruction& in, const InstructionInfo& info, bool skips);
  /// Cycles until everything so far has been issued, {L2 answers, DRAM answers}.
  struct Cycles {
    double l2 = 0, dram = 0;
  };
  Cycles now() const { return issued_; }
  /// When an access to global memory would start if the warp issued it now.
  Cycles start_of(const Instruction& in, const InstructionInfo& info) const;
  /// The instruction that issues next is an asynchronous copy: nobody waits for it but wait_for_copies.
  void note_copy() { copies_next_ = true; }
  void commit_copies();
  /// Until all but the latest `pending` committed groups have arrived; `uncommitted` too, for wait_all.
  void wait_for_copies(u32 pending, bool uncommitted);
  /// A barrier released the warp: `at` is when its last warp arrived; the barrier's own latency is added
  /// here.
  void advance_to(Cycles at, u32 warps = kBarrierWarps);

 private:
  static constexpr size_t kPipes = static_cast<size_t>(Pipe::kCount);
  Cycles ready_at(Slot slot) const;
  void set_ready(Slot slot, Cycles at);
  Cycles sources_ready(const Instruction& in, const InstructionInfo& info) const;
  double tensor_cycles(const InstructionInfo& info) const;
  Cycles latency_of(const InstructionInfo& info, MemoryLevel level, u32 passes, u32 turns) const;
  Cycles after_earlier_accesses(Cycles start, const InstructionInfo& info, size_t kind) const;
  /// Start of a memory access, not before the stores that it might depend on; remembers it for the next.
  Cycles in_memory_order(Cycles start, const InstructionInfo& info, MemoryLevel level);

  const DeviceDescription& device_;
  std::array<double, kPipes> interval_{};  ///< cycles between two instructions of one warp, by pipe
  std::array<double, kPipes> latency_{};   ///< cycles until the result can be used, by pipe
  Cycles front_;   ///< when the next instruction could issue if its sources were ready
  Cycles issued_;  ///< when the last one so far has issued
  std::array<Cycles, kPipes> pipe_free_{};
  std::array<Cycles, 2> loaded_{}, stored_{};  ///< last load and store to shared memory and elsewhere
  Cycles condition_;  ///< of what has a predicate in place of a branch, before instruction predicated_until_
  u32 predicated_until_ = 0;
  bool copies_next_ = false;
  Cycles copying_;                   ///< arrival of the last asynchronous copy of no group yet
  std::vector<Cycles> copy_groups_;  ///< arrival of each committed group and all before it
  std::vector<Cycles> ready_;        ///< by slot offset / 64, frame bank only
};

}  // namespace roofline::sim
