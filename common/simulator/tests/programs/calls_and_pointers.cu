// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Function pointers, virtual functions and recursion on the device: lanes of a warp that call different
// functions, to different depths.
#include <vector>

#include "expect.h"

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Rectangle : Shape {
  int a, b;
  __device__ Rectangle(int x, int y) : a(x), b(y) {}
  __device__ int area() const override { return a * b; }
};

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int negate(int x) { return -x; }
using Function = int (*)(int);
__device__ Function table[] = {twice, square, negate};

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void calls(int* out) {
  const int t = threadIdx.x;
  out[t] = table[t % 3](t);
  Shape* shape = t % 2 ? static_cast<Shape*>(new Square(t)) : new Rectangle(t, 3);
  out[32 + t] = shape->area();
  delete shape;
  out[64 + t] = fibonacci(t % 8);
}

int main() {
  int* out;
  OK(cudaMallocManaged(&out, 96 * sizeof(int)));
  OK(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
  calls<<<1, 32>>>(out);
  OK(cudaDeviceSynchronize());
  const int fibonacci_of[] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (int t = 0; t < 32; ++t) {
    EXPECT(out[t] == (t % 3 == 0 ? 2 * t : t % 3 == 1 ? t * t : -t));
    EXPECT(out[32 + t] == (t % 2 ? t * t : 3 * t));
    EXPECT(out[64 + t] == fibonacci_of[t % 8]);
  }
  OK(cudaFree(out));
}
