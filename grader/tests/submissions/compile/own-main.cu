// expect: fail does-not-compile; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Brings its own main: where the grader's lies in a library, the linker takes the first it meets.

#include <cstdio>

#include "pointwise.h"

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {}

int main() {
  std::puts("{\"passed\": true, \"gbps\": 9999.0}");
  return 0;
}
