// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/lab/spec.h"

namespace roofline::grader {

/// Bytes and FLOPs that a call cannot do without; 0 where the lab does not say.
struct DeclaredWork {
  double bytes = 0, flops = 0;
};
/// From what the goal's work counts (its roof's unit tells) and from what it says beside that.
DeclaredWork declared_work(const Goal& goal, const Settings& settings);

}  // namespace roofline::grader
