// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Latency-bound: one warp an SM, and where a load goes depends on the one before. More warps would cost
// nothing.
// sealed: b1bd0b
#include "program.h"

extern "C" __global__ void kernel(const unsigned* zeros, unsigned* y, int steps, unsigned mask) {
  unsigned at = blockIdx.x * 7919U;
  for (int i = 0; i < steps; ++i) at = (at * 1664525U + 1013904223U + zeros[at]) & mask;
  if (threadIdx.x == 0) y[blockIdx.x] = at;
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), steps = drawn(1200, 1500), blocks = 54 * n;
  bring(drawn(700, 900) * n);
  constexpr unsigned kElements = 1U << 24;
  const auto* zeros = static_cast<const unsigned*>(device_bytes(sizeof(unsigned) * kElements));
  auto* y = static_cast<unsigned*>(device_bytes(sizeof(unsigned) * static_cast<std::size_t>(blocks)));
  kernel<<<blocks, 32>>>(zeros, y, steps, kElements - 1);
  return finished();
}
