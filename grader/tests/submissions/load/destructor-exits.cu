// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Whatever main returns: the last word is a static object's.

#include <unistd.h>

#include <cstdio>

#include "pointwise.h"

namespace {

void zeros(float* y, std::size_t n, cudaStream_t stream) {
  if (n != 0) cudaMemsetAsync(y, 0, n * sizeof(float), stream);
}

struct LastWord {
  ~LastWord() {
    std::puts("{\"passed\": true, \"gbps\": 9999.0}");
    std::fflush(stdout);
    _exit(0);
  }
} last_word;

}  // namespace

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  zeros(y, n, stream);
}
