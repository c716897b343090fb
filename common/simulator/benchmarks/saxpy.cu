// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "measured.h"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  constexpr int kN = 1 << 20;
  std::vector<float> x(kN), y(kN);
  for (int i = 0; i < kN; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = 1;
  }
  float *d_x, *d_y;
  check(cudaMalloc(&d_x, kN * sizeof(float)));
  check(cudaMalloc(&d_y, kN * sizeof(float)));
  check(cudaMemcpy(d_x, x.data(), kN * sizeof(float), cudaMemcpyHostToDevice));
  check(cudaMemcpy(d_y, y.data(), kN * sizeof(float), cudaMemcpyHostToDevice));
  measure([&] { saxpy<<<kN / 256, 256>>>(kN, 2, d_x, d_y); });
  check(cudaMemcpy(y.data(), d_y, kN * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < kN; ++i)
    if (y[i] != 2 * x[i] + 1) return 1;
}
