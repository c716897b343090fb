// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// FP32-bound: four independent chains of multiply-adds in registers, in all SMs.
// sealed: 941db1
#include "program.h"

extern "C" __global__ void kernel(float* y, int rounds, float a, float b) {
  float x[4] = {1, 2, 3, 4};
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (int k = 0; k < 32; ++k) x[k % 4] = a * x[k % 4] + b;
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[0] + x[1] + x[2] + x[3];
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), rounds = drawn(110, 150);
  bring(drawn(40, 120) * n);
  const int blocks = 108 * 8 * n;
  auto* y = static_cast<float*>(device_bytes(sizeof(float) * 256 * static_cast<std::size_t>(blocks)));
  kernel<<<blocks, 256>>>(y, rounds, 0.5f, 1.0f);
  return finished();
}
