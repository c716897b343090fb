// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/bind/hidden.h"

#include "simulator/isa/lanewise.h"
#include "simulator/machine/access.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

namespace {

struct Wide {
  u64 low, high;
};

template <class To, class From>
void resize_lanes(Warp& w, const Instruction& in) {
  isa::each_lane(
      w.mask, w.row<To>(in.d),
      [](From v) {
        if constexpr (std::is_same_v<To, From>)
          return v;
        else
          return static_cast<To>(v);
      },
      w.row<From>(in.a));
}

template <class From>
Execute resize_from(u32 to) {
  switch (to) {
    case 1:
      return resize_lanes<u8, From>;
    case 2:
      return resize_lanes<u16, From>;
    case 4:
      return resize_lanes<u32, From>;
    default:
      return resize_lanes<u64, From>;
  }
}

u64 now(const Warp& w, const Instruction& in) {
  const double cycles = w.scoreboard != nullptr ? w.block->start + w.scoreboard->now().l2 : 0;
  if (static_cast<Clock>(in.immediate) == Clock::kCycles) return static_cast<u64>(cycles);
  const Grid& grid = *w.block->grid;
  return static_cast<u64>(grid.start_ns + cycles * 1e3 / grid.device->clock_mhz);
}

template <class T>
void broadcast(Warp& w, Slot slot, T value) {
  isa::each_lane(
      w.mask, w.row<T>(slot), [value](T) { return value; }, w.row<T>(slot));
}

}  // namespace

Execute resize(u32 from, u32 to, bool is_signed) {
  switch (from) {
    case 1:
      return is_signed ? resize_from<s8>(to) : resize_from<u8>(to);
    case 2:
      return is_signed ? resize_from<s16>(to) : resize_from<u16>(to);
    case 4:
      return is_signed ? resize_from<s32>(to) : resize_from<u32>(to);
    case 16:
      return resize_lanes<Wide, Wide>;
    default:
      return is_signed ? resize_from<s64>(to) : resize_from<u64>(to);
  }
}

void negate_predicate(Warp& w, const Instruction& in) {
  const u32 source = w.predicate(in.a);
  u32& d = w.predicate(in.d);
  d = (d & ~w.mask) | (~source & w.mask);
}

void note_spin(Warp& w, const Instruction&) {
  ++w.spins;
  ++w.block->spins;
  w.yield = true;
}

void store_spilled(Warp& w, const Instruction& in) { count_spilled(w, in, AccessKind::kStore); }
void load_spilled(Warp& w, const Instruction& in) { count_spilled(w, in, AccessKind::kLoad); }

void read_clock_32(Warp& w, const Instruction& in) { broadcast(w, in.d, static_cast<u32>(now(w, in))); }
void read_clock_high(Warp& w, const Instruction& in) {
  broadcast(w, in.d, static_cast<u32>(now(w, in) >> 32));
}
void read_clock_64(Warp& w, const Instruction& in) { broadcast(w, in.d, now(w, in)); }

}  // namespace roofline::sim
