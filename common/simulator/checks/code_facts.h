// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "simulator/checks/finding.h"
#include "simulator/machine/warp.h"
#include "simulator/names.h"

/// What several checks must know of a kernel's instructions, and how they name places in it.
namespace roofline::sim {

/// Whether the checks look at the lanes that come to such an instruction.
bool is_watched(const Traits& traits);
/// Where the bound instruction has its mask of members; 0 when it has none.
Slot members_of(const Instruction& in, const Traits& traits);

std::string thread_text(const Grid& grid, u32 linear_thread);
std::string block_text(const Grid& grid, u64 linear_block);
/// The place of an instruction, for a finding.
Finding::Place place_of(const Kernel& kernel, u32 instruction, std::string what);

}  // namespace roofline::sim
