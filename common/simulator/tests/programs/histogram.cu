// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Histogram with a copy of the bins in shared memory for each block, merged with atomics.
#include <vector>

#include "expect.h"

__global__ void count(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned s_bins[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s_bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s_bins[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (s_bins[i] != 0) atomicAdd(&bins[i], s_bins[i]);
}

int main() {
  const int n = 60000;
  std::vector<unsigned char> host(n);
  unsigned expected[256] = {}, bins[256];
  for (int i = 0; i < n; i++) expected[host[i] = static_cast<unsigned char>(i * i >> 5)]++;
  unsigned char* in;
  unsigned* d_bins;
  OK(cudaMalloc(&in, n));
  OK(cudaMalloc(&d_bins, sizeof bins));
  OK(cudaMemset(d_bins, 0, sizeof bins));
  OK(cudaMemcpy(in, host.data(), n, cudaMemcpyHostToDevice));
  count<<<8, 128>>>(in, n, d_bins);
  OK(cudaMemcpy(bins, d_bins, sizeof bins, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 256; i++) EXPECT(bins[i] == expected[i]);
  return 0;
}
