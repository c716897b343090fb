// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Heat on a plate: a five-point stencil with a halo in shared memory, iterated between two buffers.
#include <cmath>
#include <utility>
#include <vector>

#include "expect.h"

constexpr int kTile = 16, kWidth = 70, kHeight = 45;

__global__ void step(const float* in, float* out) {
  __shared__ float s[kTile + 2][kTile + 2];
  const int x0 = blockIdx.x * kTile, y0 = blockIdx.y * kTile;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < (kTile + 2) * (kTile + 2); i += kTile * kTile) {
    const int x = x0 + i % (kTile + 2) - 1, y = y0 + i / (kTile + 2) - 1;
    const bool inside = x >= 0 && x < kWidth && y >= 0 && y < kHeight;
    s[i / (kTile + 2)][i % (kTile + 2)] = inside ? in[y * kWidth + x] : 0.0f;
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  if (x < kWidth && y < kHeight)
    out[y * kWidth + x] = 0.2f * (s[ty][tx] + s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}

int main() {
  std::vector<float> now(kWidth * kHeight), next(kWidth * kHeight), result(kWidth * kHeight);
  for (int i = 0; i < kWidth * kHeight; i++) now[i] = i % 11 == 0 ? 100.0f : 0.0f;
  float *a, *b;
  OK(cudaMalloc(&a, now.size() * sizeof(float)));
  OK(cudaMalloc(&b, now.size() * sizeof(float)));
  OK(cudaMemcpy(a, now.data(), now.size() * sizeof(float), cudaMemcpyHostToDevice));
  for (int t = 0; t < 5; t++) {
    step<<<dim3((kWidth + kTile - 1) / kTile, (kHeight + kTile - 1) / kTile), dim3(kTile, kTile)>>>(a, b);
    std::swap(a, b);
    const auto at = [&](int x, int y) {
      return x >= 0 && x < kWidth && y >= 0 && y < kHeight ? now[y * kWidth + x] : 0.0f;
    };
    for (int y = 0; y < kHeight; y++)
      for (int x = 0; x < kWidth; x++)
        next[y * kWidth + x] = 0.2f * (at(x, y) + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
    std::swap(now, next);
  }
  OK(cudaMemcpy(result.data(), a, result.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < now.size(); i++) EXPECT(std::fabs(result[i] - now[i]) < 1e-4f);
  return 0;
}
