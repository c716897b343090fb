// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// L2-bound: all blocks read the same few megabytes, past L1.
// sealed: 0f605e
#include "program.h"

extern "C" __global__ void kernel(const float4* x, float* y, int rounds, int groups) {
  float sum = 0;
  for (int i = 0; i < rounds; ++i) {
    const int group = static_cast<int>((blockIdx.x * 37U + static_cast<unsigned>(i) * 101U) %
                                       static_cast<unsigned>(groups));
    const float4 v = __ldcg(&x[group * 256 + static_cast<int>(threadIdx.x)]);
    sum += v.x + v.y + v.z + v.w;
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), rounds = drawn(260, 340), groups = 1024, blocks = 108 * 8 * n;
  bring(drawn(40, 120) * n);
  auto* x = static_cast<float4*>(device_bytes(sizeof(float4) * 256 * groups));
  auto* y = static_cast<float*>(device_bytes(sizeof(float) * 256 * static_cast<std::size_t>(blocks)));
  kernel<<<blocks, 256>>>(x, y, rounds, groups);
  return finished();
}
