// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Fault-bound: a kernel is the first to touch managed memory, page after page.
// sealed: b596bb
#include "program.h"

extern "C" __global__ void kernel(const float4* x, float4* y) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float4 v = x[i];
  y[i] = make_float4(v.y, v.z, v.w, v.x);
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), blocks = 16 * drawn(14, 18) * n;
  bring(drawn(2500, 4000) * n);
  const std::size_t bytes = sizeof(float4) * 256 * static_cast<std::size_t>(blocks);
  void *x = nullptr, *y = nullptr;
  cudaMallocManaged(&x, bytes);
  cudaMallocManaged(&y, bytes);
  std::memset(x, 0, bytes);
  kernel<<<blocks, 256>>>(static_cast<const float4*>(x), static_cast<float4*>(y));
  return finished();
}
