// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Iterations without the host: a kernel launches the grid that does the work, and itself for the next turn in
// cudaStreamTailLaunch, until the result is good enough.
// nvcc: -rdc=true -lcudadevrt
#include <cmath>

#include "expect.h"

constexpr int kCells = 64;

__global__ void relax(const float* from, float* to) {
  const int i = threadIdx.x;
  to[i] = i == 0 || i == kCells - 1 ? from[i] : (from[i - 1] + from[i + 1]) / 2;
}

__global__ void step(float* from, float* to, int turn, int* turns) {
  float change = 0;
  for (int i = 0; i < kCells && turn > 0; i++) change = fmaxf(change, fabsf(from[i] - to[i]));
  if (turn > 0 && change < 1e-4f) {
    *turns = turn;
    return;
  }
  relax<<<1, kCells>>>(from, to);
  step<<<1, 1, 0, cudaStreamTailLaunch>>>(to, from, turn + 1, turns);
}

int main() {
  float first[kCells] = {}, *a = nullptr, *b = nullptr;
  first[kCells - 1] = 1;
  int *turns = nullptr, count = 0;
  OK(cudaMalloc(&a, sizeof first));
  OK(cudaMalloc(&b, sizeof first));
  OK(cudaMalloc(&turns, sizeof count));
  OK(cudaMemcpy(a, first, sizeof first, cudaMemcpyHostToDevice));
  step<<<1, 1>>>(a, b, 0, turns);
  OK(cudaMemcpy(&count, turns, sizeof count, cudaMemcpyDeviceToHost));
  // The same on the host.
  float from[kCells], to[kCells], change = 1;
  for (int i = 0; i < kCells; i++) from[i] = first[i];
  int expected = 0;
  for (; change >= 1e-4f; expected++) {
    change = 0;
    for (int i = 0; i < kCells; i++) {
      to[i] = i == 0 || i == kCells - 1 ? from[i] : (from[i - 1] + from[i + 1]) / 2;
      change = std::fmax(change, std::fabs(to[i] - from[i]));
    }
    for (int i = 0; i < kCells; i++) from[i] = to[i];
  }
  EXPECT_VALUE(expected, count);
  OK(cudaMemcpy(to, expected % 2 == 0 ? a : b, sizeof to, cudaMemcpyDeviceToHost));
  for (int i = 0; i < kCells; i++) EXPECT(to[i] == from[i]);
  OK(cudaFree(turns));
  OK(cudaFree(b));
  OK(cudaFree(a));
}
