// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/device/device.h"
#include "simulator/program/function.h"

namespace roofline::sim {

/// What a kernel with these dynamic bytes needs when it runs in blocks of this shape. Registers that are only
/// estimated never keep a block from running: they are as many as let one run.
KernelResources resources_of(const DeviceDescription& device, const Kernel& kernel, Dim3 block,
                             u64 dynamic_shared_bytes);

/// The limit that a launch breaks, in a sentence; empty when there is none.
std::string launch_problem(const DeviceDescription& device, const Kernel& kernel, const Launch& launch);

}  // namespace roofline::sim
