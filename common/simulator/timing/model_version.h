// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "simulator/timing/device_description.h"

namespace roofline::sim {

/// "3f9a1c2e": a hash of the model's formulas (their sources, at build time) and of every value of the
/// device. Equal versions give equal times; comments and layout change nothing.
std::string model_version(const DeviceDescription& device);

/// Every value of the device with its key, however its file is written.
std::string values_text(const DeviceDescription& device);

}  // namespace roofline::sim
