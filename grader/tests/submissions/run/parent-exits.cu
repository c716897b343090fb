// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The parent succeeds at once; the child has all the time in the world.

#include <unistd.h>

#include "pointwise.h"

namespace {

void zeros(float* y, std::size_t n, cudaStream_t stream) {
  if (n != 0) cudaMemsetAsync(y, 0, n * sizeof(float), stream);
}

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  if (fork() != 0) _exit(0);
  sleep(2);
  zeros(y, n, stream);
}
