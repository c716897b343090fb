// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/machine/warp.h"

namespace roofline::sim {

/// ret; also ends every function's code.
void return_from_function(Warp& w, const Instruction& in);

}  // namespace roofline::sim
