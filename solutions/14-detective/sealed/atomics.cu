// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Bound by atomics: all threads add to a few floats.
// sealed: 1b74a1
#include "program.h"

extern "C" __global__ void kernel(float* sums, int rounds) {
  for (int i = 0; i < rounds; ++i) atomicAdd(&sums[(threadIdx.x + static_cast<unsigned>(i)) % 4], 1.0f);
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), rounds = drawn(6, 8), blocks = 108 * n;
  bring(drawn(300, 500) * n);
  auto* sums = static_cast<float*>(device_bytes(sizeof(float) * 4));
  kernel<<<blocks, 256>>>(sums, rounds);
  return finished();
}
