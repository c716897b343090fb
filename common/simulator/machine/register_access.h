// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/machine/access_cache.h"

namespace roofline::sim {

/// Flag of an access to local memory that is to registers in machine code (analysis/register_arrays.h): no
/// traffic. Atomics, which the bit is for, have no local memory.
inline constexpr u16 kAccessInRegister = kAccessResult;

}  // namespace roofline::sim
