// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Grid-stride loops in one and three dimensions: any grid does all of the work, each element exactly once.
#include "expect.h"

__global__ void increment(int* p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i]++;
}

__global__ void increment(int* p, int3 size) {
  for (int z = blockIdx.z * blockDim.z + threadIdx.z; z < size.z; z += gridDim.z * blockDim.z)
    for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < size.y; y += gridDim.y * blockDim.y)
      for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < size.x; x += gridDim.x * blockDim.x)
        p[(z * size.y + y) * size.x + x]++;
}

int main() {
  const int3 size = make_int3(37, 11, 9);
  const int n = size.x * size.y * size.z;
  int* p;
  OK(cudaMallocManaged(&p, n * sizeof(int)));
  OK(cudaMemset(p, 0, n * sizeof(int)));
  increment<<<1, 1>>>(p, n);
  increment<<<3, 96>>>(p, n);
  increment<<<100, 64>>>(p, n);
  increment<<<dim3(1, 1, 1), dim3(1, 1, 1)>>>(p, size);
  increment<<<dim3(2, 3, 2), dim3(8, 2, 4)>>>(p, size);
  increment<<<dim3(9, 20, 5), dim3(5, 3, 7)>>>(p, size);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == 6);
  return 0;
}
