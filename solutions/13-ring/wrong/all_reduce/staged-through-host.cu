// expect: host-computed reached the device during the call
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// All arrays pass through host memory on their way to GPU 0, and the sum on its way back.

#include <algorithm>
#include <vector>

#include "all_reduce.h"

namespace {

__global__ void add(const float* x, float* y, std::size_t n) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += all) y[i] += x[i];
}

}  // namespace

void all_reduce(const float* const* x, float* const* y, int gpus, std::size_t n,
                const cudaStream_t* streams) {
  if (n == 0) return;
  std::vector<float> host(n);
  const std::size_t bytes = n * sizeof(float);
  const int blocks = static_cast<int>(std::min<std::size_t>((n + 255) / 256, 1024));
  cudaMemcpyAsync(y[0], x[0], bytes, cudaMemcpyDeviceToDevice, streams[0]);
  for (int g = 1; g < gpus; ++g) {
    cudaMemcpyAsync(host.data(), x[g], bytes, cudaMemcpyDeviceToHost, streams[g]);
    cudaStreamSynchronize(streams[g]);
    cudaMemcpyAsync(y[1], host.data(), bytes, cudaMemcpyHostToDevice, streams[1]);
    cudaStreamSynchronize(streams[1]);
    add<<<blocks, 256, 0, streams[0]>>>(y[1], y[0], n);
    cudaStreamSynchronize(streams[0]);
  }
  cudaMemcpyAsync(host.data(), y[0], bytes, cudaMemcpyDeviceToHost, streams[0]);
  cudaStreamSynchronize(streams[0]);
  for (int g = 1; g < gpus; ++g) {
    cudaMemcpyAsync(y[g], host.data(), bytes, cudaMemcpyHostToDevice, streams[g]);
    cudaStreamSynchronize(streams[g]);
  }
}
