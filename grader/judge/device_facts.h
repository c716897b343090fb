// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "grader/call/rig.h"
#include "grader/judge/judge.h"

namespace roofline::grader {

/// What the judge knows of a device, or of so many of them. On a GPU it asks a worker (any roof's).
DeviceFacts device_facts(const DeviceChoice& device, const GradeOptions& options, unsigned gpus = 1);

/// Why a part that runs on so many GPUs cannot run on these; empty: it can.
std::string too_few_gpus(unsigned gpus, const DeviceChoice& device, const DeviceFacts& facts,
                         const GradeOptions& options);

/// Where a GPU's submission runs once more: what is built for that GPU runs there, too.
DeviceChoice simulated_stand_in(const DeviceFacts& gpu, const GradeOptions& options);

/// A simulated device for a part that needs this compute capability, as --device takes it: "sim" where the
/// usual one has it, else the largest of those that have exactly this.
std::string simulated_with(int capability, const std::filesystem::path& simulator_directory);

/// What `--device` means for a part. Where the choice is ours ("auto") and there is no GPU, a part that the
/// usual simulated device cannot run has one that can; otherwise `device` as it was given.
std::string device_for(const Part& part, const std::string& device,
                       const std::filesystem::path& simulator_directory);

RigOptions rig_options(const DeviceChoice& device, const GradeOptions& options, double deadline_seconds);

}  // namespace roofline::grader
