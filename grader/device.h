// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/judge.h"
#include "grader/rig.h"

namespace roofline::grader {

RigOptions rig_options(const DeviceChoice& device, const GradeOptions& options, double deadline_seconds);
/// A GPU's facts from what the CUDA runtime says of it.
DeviceFacts facts_from(const worker::Facts& seen);

}  // namespace roofline::grader
