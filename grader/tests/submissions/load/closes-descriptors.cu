// expect: fail crashed; naive: dies
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Closes every descriptor that it inherits, so that nothing can be written any more.

#include <unistd.h>

#include <csignal>

#include "pointwise.h"

namespace {

__attribute__((constructor)) void before_main() {
  for (int fd = 0; fd < 1024; ++fd) close(fd);
}

// Where nobody minded: no grader without its output.
struct AtLeastNow {
  AtLeastNow() {
    if (write(2, "", 0) != 0) std::raise(SIGKILL);
  }
} at_least_now;

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  honest(x, y, a, b, n, stream);
}
