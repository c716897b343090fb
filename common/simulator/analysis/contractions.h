// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/program/traits.h"
#include "simulator/ptx/module.h"

namespace roofline::sim {

/// nvcc leaves many products beside their sums, `mul.f32` and `sub.f32` for `c - a * b`, and ptxas makes one
/// fused multiply-add of them: twice the rate, and one rounding instead of two. So does this, by the rules
/// that ptxas was seen to follow:
/// - neither instruction names a rounding (`mul.rn` forbids it: nvcc -fmad=false, __fmul_rn);
/// - both have the same type and the same .ftz; the product has no .sat and no guard;
/// - all uses of the product are such sums, in its basic block, directly or through `neg` and `mov`;
/// - of two products in a sum, the one with fewer uses is fused, else the first.
/// Nothing is fused in modules compiled with -G.
void contract(ptx::Module& module, TraitsOf traits_of);

}  // namespace roofline::sim
