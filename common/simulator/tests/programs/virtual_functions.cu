// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Classes on the device: virtual functions, inheritance, a tagged visitor, function pointers and operators.
#include "expect.h"

struct Shape {
  int id;
  __device__ explicit Shape(int i) : id(i) {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ Square(int i, float a_) : Shape(i), a(a_) {}
  __device__ float area() const override { return a * a; }
  __device__ int corners() const override { return 4; }
};
struct Disc : Shape {
  float r;
  __device__ Disc(int i, float r_) : Shape(i), r(r_) {}
  __device__ float area() const override { return 3.0f * r * r; }
};

__device__ float plus(float a, float b) { return a + b; }
__device__ float times(float a, float b) { return a * b; }
using Binary = float (*)(float, float);
__device__ Binary g_operations[2] = {plus, times};
__constant__ Binary c_operation = times;

__global__ void run(float* out) {
  const int i = threadIdx.x;
  Shape* shape = i % 3 ? static_cast<Shape*>(new Square(i, i)) : new Disc(i, i);
  const Binary operation = g_operations[i % 2];
  out[i] = operation(shape->area(), static_cast<float>(shape->corners())) + c_operation(shape->id, 2);
  delete shape;
}

int main() {
  float* out;
  OK(cudaMallocManaged(&out, 64 * sizeof(float)));
  run<<<1, 64>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) {
    const float area = i % 3 ? i * i : 3.0f * i * i, corners = i % 3 ? 4 : 0;
    EXPECT(out[i] == (i % 2 ? area * corners : area + corners) + 2 * i);
  }
  return 0;
}
