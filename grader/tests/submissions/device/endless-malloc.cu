// expect: fail timeout; naive: hangs
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Asks the device's heap for more without end, also when there is no more.

#include "pointwise.h"

namespace {

__global__ void hoard(float* y) {
  while (y != nullptr) {
    float* const more = static_cast<float*>(malloc(4096));
    if (more != nullptr) more[0] = y[0];
  }
}

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  if (n != 0) hoard<<<1, 32, 0, stream>>>(y);
}
