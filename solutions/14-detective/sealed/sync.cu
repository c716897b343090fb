// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Bound by waiting: the host waits for the GPU, and asks it again to be sure, after each of many steps.
// sealed: ed8786
#include "program.h"

extern "C" __global__ void kernel(float* x, int elements) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < elements) x[i] += 1.0f;
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), elements = 4000, steps = drawn(24, 32) * n;
  bring(drawn(40, 120));
  auto* x = static_cast<float*>(device_bytes(sizeof(float) * elements));
  for (int i = 0; i < steps; ++i) {
    kernel<<<(elements + 255) / 256, 256>>>(x, elements);
    cudaStreamSynchronize(nullptr);
    cudaDeviceSynchronize();
    cudaStreamSynchronize(nullptr);
  }
  return finished();
}
