// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Lambdas: inside kernels, passed to kernels (extended lambdas), generic ones, and with captures of every
// kind.
// nvcc: --extended-lambda
#include "expect.h"

template <class F>
__global__ void for_each(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

__global__ void inside(int* p) {
  int bias = 10;
  auto add = [=](int x) { return x + bias; };
  auto twice = [](auto f, int x) { return f(f(x)); };
  auto count = [&bias](int by) { bias += by; };
  count(5);
  p[threadIdx.x] = twice(add, threadIdx.x) + bias;
}

struct Pair {
  int a;
  char b;
};

struct Grid {
  int width;
  int* cells;
  void fill(int value) {
    auto self = *this;
    for_each<<<4, 32>>>(width, [self, value] __device__(int i) { self.cells[i] = value * i; });
  }
};

int main() {
  const int n = 128;
  int* p;
  OK(cudaMallocManaged(&p, n * sizeof(int)));
  inside<<<1, 32>>>(p);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) EXPECT(p[i] == i + 20 + 15);

  const float scale = 1.5f;
  const Pair pair = {3, 'x'};
  for_each<<<4, 32>>>(n, [=] __device__(int i) { p[i] = static_cast<int>(scale * i) + pair.a + pair.b; });
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == static_cast<int>(1.5f * i) + 3 + 'x');

  auto both = [] __host__ __device__(int x) { return 3 * x + 1; };
  for_each<<<4, 32>>>(n, [=] __device__(int i) { p[i] = both(i); });
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == both(i));

  Grid{n, p}.fill(7);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(p[i] == 7 * i);
  return 0;
}
