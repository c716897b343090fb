// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/program/thread_record.h"

namespace roofline::sim {

/// What each register is taken for among the operands, in text order.
std::vector<HeldType> held_types(const ptx::Instruction& in, const Traits& traits);

}  // namespace roofline::sim
