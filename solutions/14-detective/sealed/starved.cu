// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Starved: the GPU waits for batches that the host is slow to have ready, as from a disk.
// sealed: 5d3aff
#include "program.h"

extern "C" __global__ void kernel(float* x, int elements) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < elements) x[i] = 0.5f * x[i] + 1.0f;
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), batches = drawn(10, 14) * n, elements = 64 << 10;
  const auto wait = static_cast<useconds_t>(drawn(90, 110));
  void *host = nullptr, *x = nullptr;
  cudaMallocHost(&host, sizeof(float) * elements);
  std::memset(host, 0, sizeof(float) * elements);
  cudaMalloc(&x, sizeof(float) * elements);
  for (int i = 0; i < batches; ++i) {
    usleep(wait);
    cudaMemcpyAsync(x, host, sizeof(float) * elements, cudaMemcpyHostToDevice);
    kernel<<<(elements + 255) / 256, 256>>>(static_cast<float*>(x), elements);
  }
  return finished();
}
