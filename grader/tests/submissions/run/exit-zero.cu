// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Success, by exit status.

#include <unistd.h>

#include <cstdio>

#include "pointwise.h"

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {
  std::puts("{\"passed\": true, \"gbps\": 9999.0}");
  std::fflush(stdout);
  _exit(0);
}
