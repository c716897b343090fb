// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Nothing profiles a program from inside: `./lab run --counters` does from outside.
#include "simulator/driver/cuda.h"
#include "simulator/driver/frame.h"

using namespace roofline::sim::driver;

CUresult cuProfilerStart() {
  return in_context([] { return CUDA_SUCCESS; });
}
CUresult cuProfilerStop() {
  return in_context([] { return CUDA_SUCCESS; });
}
