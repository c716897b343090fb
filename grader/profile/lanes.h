// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/result/lane_picture.h"
#include "simulator/program/access_picture.h"

namespace roofline::grader {

/// What the machine wrote down, as it is shown. The caller fills in `file`, `source`, `device`, `what_ran`.
LanePictures lanes_of(const sim::AccessPicture& picture, const sim::PictureRequest& request);

/// Why there is no picture, and what to ask for instead, in a sentence.
std::string no_lanes(const sim::AccessPicture& picture, const sim::PictureRequest& request);

}  // namespace roofline::grader
