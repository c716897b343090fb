// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

#include "simulator/machine/warp.h"

namespace roofline::sim::isa {

/// Whether a name is one of the CUDA runtime on the device (dynamic parallelism), as nvcc spells them.
bool is_device_call(std::string_view name);

/// What a call of it runs; nullptr for other names. One that is missing stops the kernel with a sentence.
Execute device_call(std::string_view name);

}  // namespace roofline::sim::isa
