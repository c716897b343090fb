// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/ptx/module.h"

namespace roofline::sim::isa {

/// PTX of old versions and for the first GPUs may leave out modifiers that are required today; what ptxas 13
/// makes of it (its machine code was compared):
/// - `mad.f32` without a rounding is `mad.rn.f32`, before version 3.2 or for sm_1x;
/// - instructions on f32 of modules for sm_1x flush subnormal numbers, as if they had `.ftz`; before version
///   1.5 conversions from and to 64 bits do not.
/// Adds these.
void complete_old_spellings(ptx::Module& module);

}  // namespace roofline::sim::isa
