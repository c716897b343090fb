// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Bound by bank conflicts: the lanes of a warp read words of shared memory that are 32 apart.
// sealed: 99961f
#include "program.h"

extern "C" __global__ void kernel(float* y, int rounds) {
  __shared__ float words[32 * 33];
  for (unsigned i = threadIdx.x; i < 32 * 33; i += blockDim.x) words[i] = static_cast<float>(i);
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  float sum = 0;
  for (int i = 0; i < rounds; ++i) sum += words[lane * 32 + static_cast<unsigned>(i) % 32];
  y[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), rounds = drawn(80, 100), blocks = 108 * 8 * n;
  bring(drawn(40, 120) * n);
  auto* y = static_cast<float*>(device_bytes(sizeof(float) * 256 * static_cast<std::size_t>(blocks)));
  kernel<<<blocks, 256>>>(y, rounds);
  return finished();
}
