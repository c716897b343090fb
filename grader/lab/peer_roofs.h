// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/roof.h"

namespace roofline::grader {

/// What several GPUs do for each other: "peer-ring", the bytes that each one sends while all of them do.
std::vector<Roof> peer_roofs();

}  // namespace roofline::grader
