// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/cuda.h"

/// All functions of the driver in all their versions, under the names that the library exports.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

/// Of cudaProfiler.h, which the wheels that `./lab setup` fetches do not bring.
extern "C" {
CUresult CUDAAPI cuProfilerStart();
CUresult CUDAAPI cuProfilerStop();
}
