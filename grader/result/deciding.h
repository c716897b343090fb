// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "grader/result/result.h"

namespace roofline::grader {

/// The measurement that decides the medal: the lowest medal, then the least of its thresholds reached. None
/// where nothing that is graded was measured.
const Measurement* deciding(const Result& result);

}  // namespace roofline::grader
