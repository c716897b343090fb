// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "simulator/channel/observed.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {

/// What a kernel's slice in a timeline says about it: launch, limiter, occupancy, its place on the roofline,
/// memory traffic, and the time that each resource alone would need.
nlohmann::ordered_json kernel_facts(const sim::KernelRecord& kernel, const sim::DeviceDescription& device);

}  // namespace roofline::grader
