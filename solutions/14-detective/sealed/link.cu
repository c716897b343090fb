// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Link-bound: the data comes from the host in large pieces of pinned memory, and goes back.
// sealed: a27e69
#include "program.h"

extern "C" __global__ void kernel(const float4* x, float4* y, float a, int rounds) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  float4 v = x[i];
  for (int k = 0; k < rounds; ++k)
    v = make_float4(a * v.x + v.y, a * v.y + v.z, a * v.z + v.w, a * v.w + v.x);
  y[i] = v;
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), blocks = 108 * drawn(10, 12) * n, rounds = drawn(600, 750);
  const std::size_t bytes = sizeof(float4) * 256 * static_cast<std::size_t>(blocks);
  void *host = nullptr, *x = nullptr, *y = nullptr;
  cudaMallocHost(&host, bytes);
  std::memset(host, 0, bytes);
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  cudaMemcpyAsync(x, host, bytes, cudaMemcpyHostToDevice);
  kernel<<<blocks, 256>>>(static_cast<const float4*>(x), static_cast<float4*>(y), 0.5f, rounds);
  cudaMemcpyAsync(host, y, bytes, cudaMemcpyDeviceToHost);
  return finished();
}
