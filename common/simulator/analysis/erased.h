// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <set>

#include "simulator/ptx/module.h"

namespace roofline::sim {

/// Takes instructions out of a function, by their positions; labels go to what follows.
void erase(ptx::Function& function, const std::set<u32>& gone);

}  // namespace roofline::sim
