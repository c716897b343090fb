// expect: fail out-of-bounds; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes to an address that nobody owns. A grader that never asks for errors compares what its buffer held
// before.

#include "pointwise.h"

namespace {

__global__ void broken(float* y) { *y = 1; }

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  if (n != 0) broken<<<1, 1, 0, stream>>>(y + (std::size_t{1} << 40));
}
