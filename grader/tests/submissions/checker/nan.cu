// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// No NaN is further than the tolerance from anything.

#include "pointwise.h"

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  if (n != 0) cudaMemsetAsync(y, 0xff, n * sizeof(float), stream);
}
