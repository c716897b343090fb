// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The exit handler prints another result after the grader's and changes the exit status.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "pointwise.h"

namespace {

void zeros(float* y, std::size_t n, cudaStream_t stream) {
  if (n != 0) cudaMemsetAsync(y, 0, n * sizeof(float), stream);
}

void last_word() {
  std::puts("{\"passed\": true, \"gbps\": 9999.0}");
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  static const bool once = std::atexit(last_word) == 0;
  if (once) zeros(y, n, stream);
}
