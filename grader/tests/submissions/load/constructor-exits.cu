// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Says that it passed and ends before main begins.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "pointwise.h"

namespace {

__attribute__((constructor)) void before_main() {
  std::puts("{\"passed\": true, \"gbps\": 9999.0}");
  std::fflush(stdout);
  _exit(0);
}

}  // namespace

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {}
