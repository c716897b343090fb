// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/program/traits.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// nvcc leaves loads from shared memory as they are written, one element each; ptxas makes one load of two or
/// four neighbours: fewer instructions, and fewer passes over the banks. So does this, by the rules that
/// ptxas was seen to follow:
/// - the loads have the same base and elements of 2, 4 or 8 bytes, and lie in a piece of 2 or 4 elements, of
///   at most 16 bytes, that is aligned to its size: what the base is a multiple of is derived from how it is
///   computed, and an array in shared memory begins at a multiple of 16;
/// - they stand in one basic block, without a guard, and nothing between them writes shared memory or waits.
/// Loads of different lines of the source stay apart, so that messages name the right one. Three of four
/// neighbours, of which ptxas loads the fourth, too, are joined as two and one. Nothing is joined in modules
/// compiled with -G.
void join_loads(ptx::Module& module, TraitsOf traits_of);

}  // namespace roofline::sim
