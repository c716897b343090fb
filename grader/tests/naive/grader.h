// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

/// What the submission should have computed; in the same process as the submission.
extern float* expected_values;

/// Within one percent, and one hundredth.
bool nearly_equal(const float* got, const float* expected, std::size_t n);
