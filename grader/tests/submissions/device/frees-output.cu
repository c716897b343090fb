// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Frees the grader's own array, so that the copy back fails.

#include "pointwise.h"

void pointwise(const float*, float* y, float, float, std::size_t, cudaStream_t) { cudaFree(y); }
