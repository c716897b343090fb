// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Launch-bound: many kernels that have almost nothing to do, and nobody waits for them.
// sealed: 9de539
#include "program.h"

extern "C" __global__ void kernel(float* x, int elements) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < elements) x[i] += 1.0f;
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), elements = 4000 * n, launches = drawn(70, 90);
  bring(drawn(1000, 1300));
  auto* x = static_cast<float*>(device_bytes(sizeof(float) * static_cast<std::size_t>(elements)));
  for (int i = 0; i < launches; ++i) kernel<<<(elements + 255) / 256, 256>>>(x, elements);
  return finished();
}
