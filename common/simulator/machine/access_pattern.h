// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>

#include "simulator/machine/access_cache.h"

/// How the addresses of a warp's request lie. A pattern is made once and asked for each request like it, so
/// the answers are kept in it.
namespace roofline::sim {

/// Calls `use` with each lane of the mask.
template <class Use>
void each_lane(u32 mask, Use use) {
  for (; mask != 0; mask &= mask - 1) use(static_cast<u32>(std::countr_zero(mask)));
}

/// From the lanes' addresses: bounds and kind. What follows is not known yet.
void analyse_pattern(AddressPattern& pattern, u32 mask, u32 width);

/// Wavefronts of shared memory, and the fewest that the request needs. `phase`: the first lane's address
/// within a word.
void find_wavefronts(AddressPattern& pattern, u32 phase, bool atomic);

/// Lines, sectors and passes of global memory. `phase`: the first lane's address within a line.
void find_lines(AddressPattern& pattern, u32 phase);

/// The distance between neighbouring active lanes that holds for most of them (majority vote, then a count).
s32 find_stride(const AddressPattern& pattern);

/// How many lanes of an atomic meet on one word at most.
void find_meetings(AddressPattern& pattern);

/// What each sector of an atomic has to do. `phase`: the first lane's address within a sector.
void find_met_sectors(AddressPattern& pattern, u32 phase);

}  // namespace roofline::sim
