// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/result/lane_picture.h"
#include "grader/text/terminal.h"

namespace roofline::grader {

/// Pictures of one request of the warp (an index), of its active lanes and of who wrote what, for a terminal.
std::string lane_text(const LanePictures& pictures, std::size_t request, unsigned columns,
                      const Terminal& terminal);

}  // namespace roofline::grader
