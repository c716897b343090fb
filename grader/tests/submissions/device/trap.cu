// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Traps; every later call on the device fails, and the copy back copies nothing.

#include "pointwise.h"

namespace {

__global__ void broken() { asm volatile("trap;"); }

}  // namespace

void pointwise(const float*, float*, float, float, std::size_t n, cudaStream_t stream) {
  if (n != 0) broken<<<1, 1, 0, stream>>>();
}
