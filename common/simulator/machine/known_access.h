// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/machine/access.h"
#include "simulator/machine/lanes_apart.h"

namespace roofline::sim {

/// The shared-memory request of a full warp whose lanes lie as they did last time, without bank conflicts:
/// inner loops make little else. Checks and counts what begin_access would; false, with nothing done, when
/// the request is another one.
inline __attribute__((always_inline)) bool begin_known_shared(Warp& w, const Instruction& in,
                                                              Access& access) {
  if (in.flags != (static_cast<u32>(ptx::Space::kShared) << kAccessSpaceShift | kAccessNarrow) ||
      w.mask != ~0u)
    return false;
  Block& block = *w.block;
  const AddressPattern& p = block.access->entry(in, 0).pattern;
  const u32* const addresses = w.row<u32>(in.a);
  const u32 origin = addresses[0];
  const bool same = lanes_apart(addresses, origin, p.narrow_difference.data());
  const u64 base = static_cast<u32>(origin + static_cast<u32>(in.immediate));  // wraps at 32 bits
  const u64 low = base + static_cast<u64>(p.lowest), end = base + static_cast<u64>(p.highest) + in.width;
  const bool known = same && p.mask == ~0u && p.narrow && p.width == in.width && p.bank_phase == base % 4 &&
                     p.wavefronts == p.ideal_wavefronts;
  if (!known || low >= end || end > block.shared_bytes || ((base | p.low_bits) & (in.width - 1u)) != 0)
    return false;
  KernelCounters& totals = *block.totals;
  InstructionCounters& counters = (*block.counters)[in.index];
  counters.requests += 1;
  counters.wavefronts += p.wavefronts;
  counters.ideal_wavefronts += p.wavefronts;
  totals.shared_requests += 1;
  totals.shared_wavefronts += p.wavefronts;
  w.work[ResourceUse::kSharedWavefronts] += p.wavefronts;
  totals.ideal_shared_wavefronts += p.wavefronts;
  w.memory_level = MemoryLevel::kShared;
  w.memory_passes = p.wavefronts;
  access = {reinterpret_cast<u64>(block.shared) + base, p.difference.data(), p.kind, p.unit_octets};
  return true;
}

}  // namespace roofline::sim
