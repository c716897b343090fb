// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

#include "grader/call/rig.h"
#include "grader/lab/spec.h"
#include "grader/result/lane_picture.h"
#include "simulator/channel/observed.h"

namespace roofline::grader {

/// Runs the largest of a part's small cases once, watched: what one warp does at one source line. Nothing is
/// judged. Throws UsageError where that line is not reached, or the program faults before it.
LanePictures traced_call(const Part& part, const DeviceFacts& facts, const std::filesystem::path& worker,
                         const RigOptions& options, std::uint64_t seed, const sim::PictureRequest& request);

}  // namespace roofline::grader
