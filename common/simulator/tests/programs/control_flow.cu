// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Control flow that differs from lane to lane: switch, goto, break and continue, early return, nested loops,
// short circuits, recursion.
#include "expect.h"

__host__ __device__ int collatz(unsigned n) {
  int steps = 0;
again:
  if (n <= 1) return steps;
  n = n % 2 ? 3 * n + 1 : n / 2;
  steps++;
  goto again;
}

__host__ __device__ int choose(int x) {
  switch (x % 9) {
    case 0:
      return 5;
    case 1:
      x += 10;  // falls through
    case 2:
      x *= 3;
      break;
    case 3:
    case 4:
      return collatz(x);
    case 5:
      for (int i = 0;; i++) {
        if (i == x) continue;
        if (i * i > x) return i;
      }
    case 7:
      x = -x;
      break;
    default:
      x ^= 0x55;
  }
  return x;
}

__host__ __device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__host__ __device__ int nested(int x) {
  int count = 0;
  for (int i = 0; i < x; i++) {
    if (i % 3 == 1) continue;
    int j = i;
    do {
      if ((j & 4) && j % 5 == 0) break;
      count += j;
    } while (--j > 0 && count < 500);
    if (count >= 500 || (i > 20 && x % 2)) return -count;
  }
  return count;
}

__global__ void run(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = choose(i) + 7 * collatz(i + 1) + 1000 * nested(i % 40) + ackermann(i % 3, i % 4);
}

int main() {
  const int n = 256;
  int* out;
  OK(cudaMallocManaged(&out, n * sizeof(int)));
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  run<<<4, n / 4>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    EXPECT(out[i] == choose(i) + 7 * collatz(i + 1) + 1000 * nested(i % 40) + ackermann(i % 3, i % 4));
  return 0;
}
