// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>

#include "simulator/machine/warp.h"

/// Warp-wide instructions that lanes reach at different places: since sm_70 a shuffle in both arms of an `if`
/// is one shuffle, as long as all of its members get to one.
namespace roofline::sim {

namespace {

/// The operands of such an instruction, away from any frame.
struct JointRows {
  enum Place : u32 { kNone, kD, kA, kB, kC, kE, kMembers, kValid, kCount };
  static constexpr u32 kBytes = kWarpSize * 8;
  alignas(64) u8 bytes[kCount * kBytes] = {};

  u8* at(Place place) { return bytes + place * kBytes; }
  static Slot slot(Place place, Slot like) { return like.bits == 0 ? Slot{} : Slot{place * kBytes}; }
};

u8* row_of(const Frame& frame, Slot slot) {
  return (slot.bank() == 0 ? frame.rows.get() : frame.function->constants.get()) + slot.offset();
}

/// The lanes in `mask`; `width` bytes each, or a bit each when it is 0.
void move_lanes(u8* to, const u8* from, u32 width, u32 mask) {
  if (width == 0) {
    u32 d, s;
    std::memcpy(&d, to, sizeof d);
    std::memcpy(&s, from, sizeof s);
    d = (d & ~mask) | (s & mask);
    std::memcpy(to, &d, sizeof d);
    return;
  }
  for (; mask != 0; mask &= mask - 1) {
    const u32 at = static_cast<u32>(std::countr_zero(mask)) * width;
    std::memcpy(to + at, from + at, width);
  }
}

Slot extra_slot(const Instruction& in, size_t i) { return in.extra != nullptr ? in.extra->slots[i] : Slot{}; }

void bring_sources(JointRows& rows, const Instruction& in, const Frame& frame, u32 mask) {
  const auto bring = [&](JointRows::Place place, Slot slot, u32 width) {
    if (slot.bits != 0) move_lanes(rows.at(place), row_of(frame, slot), width, mask);
  };
  bring(JointRows::kA, in.a, in.width);
  bring(JointRows::kB, in.b, 4);
  bring(JointRows::kC, in.c, 4);
  bring(JointRows::kMembers, extra_slot(in, 0), 4);
}

void take_results(JointRows& rows, const Instruction& in, const Frame& frame, u32 mask) {
  const auto take = [&](JointRows::Place place, Slot slot, u32 width) {
    if (slot.bits != 0) move_lanes(row_of(frame, slot), rows.at(place), width, mask);
  };
  take(JointRows::kD, in.d, in.flags == kWarpPredicateResult ? 0 : 4);
  take(JointRows::kE, in.e, 0);
  take(JointRows::kValid, extra_slot(in, 1), 0);
}

}  // namespace

/// All members are there: it runs once for them, and every group goes on behind its own instruction.
void Warp::execute_together(const Instruction& in, u32 required) {
  isolate(mask);
  JointRows rows;
  Extra extra;
  Instruction joint = in;
  joint.d = JointRows::slot(JointRows::kD, in.d);
  joint.a = JointRows::slot(JointRows::kA, in.a);
  joint.b = JointRows::slot(JointRows::kB, in.b);
  joint.c = JointRows::slot(JointRows::kC, in.c);
  joint.e = JointRows::slot(JointRows::kE, in.e);
  if (in.extra != nullptr) {
    extra.slots = {JointRows::slot(JointRows::kMembers, in.extra->slots[0]),
                   Slot{JointRows::kValid * JointRows::kBytes}};
    joint.extra = &extra;
  }
  bring_sources(rows, in, *frame, mask);
  const u32 mine = mask;
  for (const Fragment& f : others) {
    if (!stands_with(f, in, frame, required)) continue;
    bring_sources(rows, *f.waiting_at, *f.frame, f.mask);
    mask |= f.mask;
  }
  // Any second result is computed, whether the running group wants it or not.
  if (joint.e.bits == 0) joint.e = Slot{JointRows::kE * JointRows::kBytes};
  u8* const frame_rows = bank[0];
  bank[0] = rows.bytes;
  in.execute(*this, joint);
  bank[0] = frame_rows;
  mask = mine;
  take_results(rows, in, *frame, mine);
  for (size_t i = others.size(); i-- > 0;) {
    if (!stands_with(others[i], in, frame, required)) continue;
    take_results(rows, *others[i].waiting_at, *others[i].frame, others[i].mask);
    go_on_behind(i, in);
  }
  changed = true;
}

/// The instruction that the i-th other fragment waited at has run: it goes on, with the running lanes when
/// they stand at the same place.
void Warp::go_on_behind(size_t i, const Instruction& in) {
  Fragment met = others[i];
  InstructionCounters& counters = (*block->counters)[met.waiting_at->index];
  counters.lanes += static_cast<u32>(std::popcount(met.mask));
  if (met.waiting_at == &in && met.frame == frame) {
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    merge_into_current(met);
    return;
  }
  ++counters.warps;
  others[i].state = Fragment::State::kReady;
  ++others[i].pc;
}

}  // namespace roofline::sim
