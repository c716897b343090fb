// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "grader/lab/spec.h"
#include "worker/protocol.h"

namespace roofline::grader {

/// `--device`: what the learner asked for, resolved.
struct DeviceChoice {
  bool simulated = true;
  std::string id = "a100-sxm4-40gb";  ///< simulated: file name in devices/
  int ordinal = 0;                    ///< GPU: index for CUDA_VISIBLE_DEVICES
};
/// "auto", "gpu", "sim", "sim:NAME". auto takes a GPU where the driver shows one. Throws
/// std::invalid_argument.
DeviceChoice parse_device(const std::string& text);
/// Number of GPUs that the driver library reports (0 where there is none).
int gpu_count();

/// A simulated device that runs what was built for a GPU: one of its compute capability, of its name if there
/// is such a one. Nothing where no device file has that capability.
std::optional<DeviceChoice> simulated_like(int capability, const std::string& name,
                                           const std::filesystem::path& simulator_directory);

/// A simulated device's facts from its file in `simulator_directory`/devices. Throws InfrastructureError.
DeviceFacts simulated_facts(const DeviceChoice& device, const std::filesystem::path& simulator_directory);
/// A GPU's facts from what the CUDA runtime says of it.
DeviceFacts facts_from(const worker::Facts& seen);

}  // namespace roofline::grader
