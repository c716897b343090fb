// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Adaptive integration: each thread looks at an interval and launches a finer grid where the error is large;
// the leaves add up with atomics, as deep as is needed.
// nvcc: -rdc=true -lcudadevrt
#include <cmath>

#include "expect.h"

constexpr int kParts = 4;

__device__ double f(double x) { return 1 / (0.001 + x * x); }
__device__ double simpson(double a, double b) { return (b - a) / 6 * (f(a) + 4 * f((a + b) / 2) + f(b)); }

__global__ void integrate(double from, double width, double tolerance, double* sum, int* leaves) {
  const double a = from + width * threadIdx.x, b = a + width, middle = (a + b) / 2;
  const double once = simpson(a, b), twice = simpson(a, middle) + simpson(middle, b);
  if (fabs(once - twice) <= tolerance) {
    atomicAdd(sum, twice);
    atomicAdd(leaves, 1);
  } else {
    integrate<<<1, kParts, 0, cudaStreamFireAndForget>>>(a, width / kParts, tolerance / kParts, sum, leaves);
  }
}

int main() {
  double *sum = nullptr, result = 0;
  int *leaves = nullptr, count = 0;
  OK(cudaMalloc(&sum, sizeof result));
  OK(cudaMalloc(&leaves, sizeof count));
  OK(cudaMemset(sum, 0, sizeof result));
  OK(cudaMemset(leaves, 0, sizeof count));
  integrate<<<1, kParts>>>(-1.0, 0.5, 1e-7, sum, leaves);
  OK(cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(&count, leaves, sizeof count, cudaMemcpyDeviceToHost));
  const double root = std::sqrt(0.001);
  EXPECT(std::fabs(result - 2 * std::atan(1 / root) / root) < 1e-5);
  EXPECT(count > 16 && count % (kParts - 1) == 1);  // a tree in which each inner node has kParts children
  OK(cudaFree(leaves));
  OK(cudaFree(sum));
}
