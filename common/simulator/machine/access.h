// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/machine/access_cache.h"
#include "simulator/machine/warp.h"

/// The one way from an instruction to memory: addresses are resolved to host pointers, checked (space,
/// bounds, alignment, permission) and counted as one warp request. A violation traps and does not return.
namespace roofline::sim {

enum class AccessKind : u8 { kLoad, kStore, kAtomic };

/// Where the lanes of a checked request are: lane l's bytes start at base + offsets[l]. Valid until the next
/// request. `kind` kUnit: lane l of a full warp is at base + l * width; kUniform: every lane at base.
struct Access {
  u64 base = 0;
  const u64* offsets = nullptr;
  AddressPattern::Kind kind = AddressPattern::Kind::kGeneral;
  u8 unit_octets = 0;
  u8* lane(u32 l) const { return reinterpret_cast<u8*>(base + offsets[l]); }
};

/// The request of a ld, st, atom or red instruction: addresses in row `in.a` plus `in.immediate`, `in.width`
/// bytes a lane, space and address width in `in.flags`.
Access begin_access(Warp& w, const Instruction& in, AccessKind kind);

/// A request that is not one address register: matrix loads, cp.async.
struct Request {
  AccessKind kind = AccessKind::kLoad;
  ptx::Space space = ptx::Space::kGeneric;
  u32 mask = 0;
  u32 width = 0;  ///< bytes a lane, a power of two
  bool bypass_l1 = false;
  u32 part = 0;  ///< which of the instruction's requests this is: each remembers its own pattern
};
Access begin_access(Warp& w, const Instruction& in, const Request& request, const u64* addresses);

/// One lane's bytes at a generic address, checked but not counted: what printf and malloc read.
u8* lane_pointer(Warp& w, const Instruction& in, u32 lane, u64 address, u64 bytes, AccessKind kind);

/// How many bytes from `address` on one lane may read, at most `limit`; 0 when none.
u64 readable_bytes(const Warp& w, u32 lane, u64 address, u64 limit);

/// The space behind a generic address: kShared, kLocal, kParam or kGlobal.
ptx::Space space_of(u64 address);

/// An instruction's space and address width as it stands in its flags.
inline u16 access_flags(ptx::Space space, bool narrow) {
  return static_cast<u16>(static_cast<u32>(space) << kAccessSpaceShift | (narrow ? kAccessNarrow : 0u));
}
inline ptx::Space access_space(const Instruction& in) {
  return static_cast<ptx::Space>(in.flags >> kAccessSpaceShift & kAccessSpaceBits);
}

/// For access.cpp: the counters of a request that has been found good.
void count_global(Warp& w, const Instruction& in, AccessKind kind, bool bypass_l1, AddressPattern& pattern,
                  u64 base);
void count_shared(Warp& w, const Instruction& in, AccessKind kind, AddressPattern& pattern, u64 base);
void count_local(Warp& w, const Instruction& in, AccessKind kind, const AddressPattern& pattern, u64 base);

/// The counters of a register that the active lanes spill, or refill.
void count_spilled(Warp& w, const Instruction& in, AccessKind kind);

}  // namespace roofline::sim
