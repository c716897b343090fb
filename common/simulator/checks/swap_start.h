// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/types.h"

namespace roofline::sim {

struct Kernel;

/// Whether the instruction `swap` is a compare-and-swap that compares with what the plain load `load` read.
/// That is how loops begin which make an atomic operation of atomicCAS (CUDA C++ Programming Guide, atomicAdd
/// of doubles): whatever the load got, the swap finds out, so it races with nothing that is atomic.
bool starts_swap_loop(const Kernel& kernel, u32 load, u32 swap);

}  // namespace roofline::sim
