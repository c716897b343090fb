// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Gravity between bodies: tiles of positions in shared memory, float4 loads, reciprocal square roots.
#include <cmath>
#include <vector>

#include "expect.h"

constexpr float kSoftening = 0.01f;

__global__ void accelerate(const float4* body, float4* acceleration, int n) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 mine = i < n ? body[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int start = 0; start < n; start += blockDim.x) {
    const int other = start + threadIdx.x;
    tile[threadIdx.x] = other < n ? body[other] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < blockDim.x; k++) {
      const float dx = tile[k].x - mine.x, dy = tile[k].y - mine.y, dz = tile[k].z - mine.z;
      const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening);
      const float weight = tile[k].w * inverse * inverse * inverse;
      sum.x += dx * weight;
      sum.y += dy * weight;
      sum.z += dz * weight;
    }
    __syncthreads();
  }
  if (i < n) acceleration[i] = make_float4(sum.x, sum.y, sum.z, 0);
}

int main() {
  const int n = 300;
  std::vector<float4> body(n), result(n);
  for (int i = 0; i < n; i++)
    body[i] = make_float4(std::sin(1.0f * i), std::cos(2.0f * i), std::sin(3.0f * i + 1), 1.0f + i % 3);
  float4 *d_body, *d_acceleration;
  OK(cudaMalloc(&d_body, n * sizeof(float4)));
  OK(cudaMalloc(&d_acceleration, n * sizeof(float4)));
  OK(cudaMemcpy(d_body, body.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
  accelerate<<<(n + 63) / 64, 64, 64 * sizeof(float4)>>>(d_body, d_acceleration, n);
  OK(cudaMemcpy(result.data(), d_acceleration, n * sizeof(float4), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    double x = 0, y = 0, z = 0;
    for (int k = 0; k < n; k++) {
      const double dx = body[k].x - body[i].x, dy = body[k].y - body[i].y, dz = body[k].z - body[i].z;
      const double weight = body[k].w * std::pow(dx * dx + dy * dy + dz * dz + kSoftening, -1.5);
      x += dx * weight, y += dy * weight, z += dz * weight;
    }
    const double error = std::fabs(result[i].x - x) + std::fabs(result[i].y - y) + std::fabs(result[i].z - z);
    EXPECT(error < 1e-4 * (1 + std::fabs(x) + std::fabs(y) + std::fabs(z)));
  }
  return 0;
}
