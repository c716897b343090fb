// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Adds two vectors: the first CUDA program, with a size that does not fill the last block.
#include <vector>

#include "expect.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 10007;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; i++) a[i] = 0.5f * i, b[i] = 1.0f - i;
  float *d_a, *d_b, *d_c;
  OK(cudaMalloc(&d_a, n * sizeof(float)));
  OK(cudaMalloc(&d_b, n * sizeof(float)));
  OK(cudaMalloc(&d_c, n * sizeof(float)));
  OK(cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  OK(cudaGetLastError());
  OK(cudaMemcpy(c.data(), d_c, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(c[i] == a[i] + b[i]);
  OK(cudaFree(d_a));
  OK(cudaFree(d_b));
  OK(cudaFree(d_c));
  return 0;
}
