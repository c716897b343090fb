// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "measured.h"

__global__ void reduce(int n, const float* x, float* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? x[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  __shared__ float warps[32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  value = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(~0u, value, offset);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

int main() {
  constexpr int kN = 1 << 20;
  std::vector<float> x(kN);
  double expected = 0;
  for (int i = 0; i < kN; ++i) expected += x[i] = static_cast<float>(i % 5 - 2);
  float *d_x, *d_sum, sum = 0;
  check(cudaMalloc(&d_x, kN * sizeof(float)));
  check(cudaMalloc(&d_sum, sizeof(float)));
  check(cudaMemcpy(d_x, x.data(), kN * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemset(d_sum, 0, sizeof(float)));
  measure([&] { reduce<<<kN / 256, 256>>>(kN, d_x, d_sum); });
  check(cudaMemcpy(&sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
  return sum == expected ? 0 : 1;  // small integers: exact in any order
}
