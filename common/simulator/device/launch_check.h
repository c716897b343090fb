// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/device/device.h"
#include "simulator/program/function.h"

namespace roofline::sim {

/// The limit that a launch breaks, in a sentence; empty when there is none.
std::string launch_problem(const DeviceDescription& device, const Kernel& kernel, const Launch& launch);

}  // namespace roofline::sim
