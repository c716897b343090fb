// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Resets the device under the grader's feet: its pointers are no longer valid.

#include "pointwise.h"

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) { cudaDeviceReset(); }
