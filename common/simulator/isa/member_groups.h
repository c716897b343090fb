// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>

#include "simulator/machine/warp.h"

/// The member masks of `.sync` instructions: which lanes of a warp take part in one operation.
namespace roofline::sim::isa {

/// Whether all members execute `in` now (Warp::gather). Instructions without a member mask are executed by
/// whoever is there.
inline bool gathered(Warp& w, const Instruction& in, Slot members) {
  if (members.bits == 0) return true;
  return w.gather(w.row<u32>(members)[std::countr_zero(w.mask)], in);
}

/// Where the member mask stands; shuffles keep it out of line.
inline Slot members_of(const Instruction& in, bool in_a) {
  return in.extra != nullptr ? in.extra->slots[0] : in_a ? in.a : in.b;
}

/// Those of `lanes` that name the same living members as the first of them.
inline u32 first_group(const Warp& w, const u32* members, u32 lanes) {
  const u32 named = members[std::countr_zero(lanes)];
  u32 same = 0;
  for (u32 l = 0; l < kWarpSize; ++l) same |= u32{((members[l] ^ named) & w.live()) == 0} << l;
  return same & lanes;
}

/// Lanes of a warp that name different members are operations of their own, as tiles of a warp are.
template <Execute kBody, bool kMembersInA = false>
void by_members(Warp& w, const Instruction& in) {
  const Slot slot = members_of(in, kMembersInA);
  if (slot.bits == 0 || slot.bank() != 0) return kBody(w, in);
  const u32* members = w.row<u32>(slot);
  const u32 all = w.mask, first = first_group(w, members, all);
  if (first == all) return kBody(w, in);
  for (u32 left = all; left != 0;) {
    const u32 group = first_group(w, members, left);
    left &= ~group;
    if ((members[std::countr_zero(group)] & w.live() & ~group) == 0) continue;
    // Some group waits for lanes that are elsewhere: the others come here again, and are counted then.
    w.block->issued[in.index].lanes -= static_cast<u32>(std::popcount(all & ~first));
    --w.pc;
    w.isolate(first);
    ++w.pc;
    w.mask = first;
    return kBody(w, in);
  }
  for (u32 left = all; left != 0;) {
    const u32 group = first_group(w, members, left);
    left &= ~group;
    w.mask = group;
    kBody(w, in);
  }
  w.mask = all;
}

}  // namespace roofline::sim::isa
