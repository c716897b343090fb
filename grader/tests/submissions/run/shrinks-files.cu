// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Cuts every file that it holds to nothing: what is compared then has no elements, or the reader dies by
// SIGBUS.

#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "pointwise.h"

namespace {

void zeros(float* y, std::size_t n, cudaStream_t stream) {
  if (n != 0) cudaMemsetAsync(y, 0, n * sizeof(float), stream);
}

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  std::signal(SIGXFSZ, SIG_IGN);
  for (int fd = 3; fd < 256; ++fd)
    if (ftruncate(fd, 0) == 0) std::fputs("a file was cut\n", stderr);
  zeros(y, n, stream);
}
