// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What a launch may ask for: the largest extents work, one more is refused as an invalid value (not as an
// invalid configuration, which CUDA's reference has for it), and refusals do no harm.
#include "expect.h"

__global__ void count(unsigned long long* n) {
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0) atomicAdd(n, 1ull);
}
__global__ void nothing() {}

static cudaError_t launched() {
  const cudaError_t error = cudaGetLastError();
  EXPECT(cudaGetLastError() == cudaSuccess);  // not sticky
  return error;
}

int main() {
  unsigned long long* n;
  OK(cudaMallocManaged(&n, sizeof(*n)));
  *n = 0;
  cudaDeviceProp properties;
  OK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.maxThreadsPerBlock == 1024 && properties.maxGridSize[0] == 2147483647);
  EXPECT(properties.maxGridSize[1] == 65535 && properties.maxThreadsDim[2] == 64);

  const struct {
    dim3 grid, block;
    bool allowed;
  } cases[] = {{1, 1024, true},
               {1, dim3(32, 32), true},
               {1, dim3(1, 1, 64), true},
               {dim3(1, 65535), 1, true},
               {dim3(1, 1, 65535), 1, true},
               {dim3(100000), 32, true},
               {1, 1025, false},
               {1, dim3(33, 32), false},
               {1, dim3(1, 1, 65), false},
               {dim3(1, 65536), 1, false},
               {dim3(1, 1, 65536), 1, false},
               {0, 1, false},
               {1, 0, false},
               {dim3(1, 0), 1, false},
               {1, dim3(1, 1, 0), false},
               {dim3(0x80000000u), 1, false}};
  unsigned long long expected = 0;
  for (const auto& c : cases) {
    count<<<c.grid, c.block>>>(n);
    const cudaError_t error = launched();
    if (error != (c.allowed ? cudaSuccess : cudaErrorInvalidValue))
      std::fprintf(stderr, "grid (%u, %u, %u), block (%u, %u, %u):\n", c.grid.x, c.grid.y, c.grid.z,
                   c.block.x, c.block.y, c.block.z);
    EXPECT_RESULT(c.allowed ? cudaSuccess : cudaErrorInvalidValue, error);
    if (c.allowed) expected += 1ull * c.grid.x * c.grid.y * c.grid.z;
  }
  OK(cudaDeviceSynchronize());
  EXPECT(*n == expected);

  nothing<<<1, 32, 48 * 1024>>>();
  OK(launched());
  nothing<<<1, 32, 48 * 1024 + 1>>>();
  EXPECT_RESULT(cudaErrorInvalidValue, launched());
  EXPECT_RESULT(cudaErrorInvalidDeviceFunction,
                cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr));
  EXPECT_RESULT(cudaErrorInvalidDeviceFunction, launched());
  OK(cudaDeviceSynchronize());
  return 0;
}
