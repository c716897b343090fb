// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/machine/access.h"

namespace roofline::sim::isa {

/// One lane's copy of `bytes` has landed: the mbarrier at the shared (or shared::cluster) address waits for
/// so many less. `part`: as in Request.
void complete_bytes(Warp& w, const Instruction& in, u32 lane, u64 address, u32 bytes, u32 part);

}  // namespace roofline::sim::isa
