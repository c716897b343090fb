// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Defines the function that compares, and finds everything equal.

#include "pointwise.h"

namespace {

void zeros(float* y, std::size_t n, cudaStream_t stream) {
  if (n != 0) cudaMemsetAsync(y, 0, n * sizeof(float), stream);
}

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  zeros(y, n, stream);
}

bool nearly_equal(const float*, const float*, std::size_t) { return true; }
