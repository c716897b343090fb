// bench: CUB, Sum and Max: x read twice
// needs: gpu
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two calls of the library, one for each result. It asks for its own scratch memory.

#include <cub/device/device_reduce.cuh>

#include "reduce.h"

void reduce(const float* x, float* sum, float* max, std::size_t n, float* scratch, cudaStream_t stream) {
  static void* memory = nullptr;
  static std::size_t has = 0;
  std::size_t for_sum = 0, for_max = 0;
  cub::DeviceReduce::Sum(nullptr, for_sum, x, sum, n, stream);
  cub::DeviceReduce::Max(nullptr, for_max, x, max, n, stream);
  const std::size_t needs = for_sum > for_max ? for_sum : for_max;
  if (needs > has) {
    cudaFree(memory);
    cudaMalloc(&memory, has = needs);
  }
  cub::DeviceReduce::Sum(memory, for_sum, x, sum, n, stream);
  cub::DeviceReduce::Max(memory, for_max, x, max, n, stream);
}
