// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// DRAM-bound: reads and writes arrays far larger than L2, coalesced.
// sealed: 5a9e69
#include "program.h"

extern "C" __global__ void kernel(const float4* x, float4* y, float a) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float4 v = x[i];
  y[i] = make_float4(a * v.x, a * v.y, a * v.z, a * v.w);
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), blocks = drawn(20000, 26000) * n;
  bring(drawn(200, 300) * n);
  const std::size_t bytes = sizeof(float4) * 256 * static_cast<std::size_t>(blocks);
  void *x = nullptr, *y = nullptr;
  cudaMalloc(&x, bytes);
  cudaMalloc(&y, bytes);
  kernel<<<blocks, 256>>>(static_cast<const float4*>(x), static_cast<float4*>(y), 2.0f);
  return finished();
}
