// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A failed assertion is a sticky error: nothing on the device works after it.

#include <cassert>

#include "pointwise.h"

namespace {

__global__ void broken(const float* y) { assert(y == nullptr); }

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  if (n != 0) broken<<<1, 1, 0, stream>>>(y);
}
