// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

#include "shapes.h"

using Operation = int (*)(int, int);
__device__ int add(int a, int b);
static __device__ int multiply(int a, int b) { return a * b; }
static __device__ int subtract(int a, int b) { return a - b; }
__device__ Operation g_operations[3] = {add, multiply, subtract};

extern __device__ int g_value;
__device__ int* g_address = &g_value;

__device__ float Rectangle::area() const { return a * b; }
__device__ float Disc::area() const { return 3.0f * r * r; }
__device__ void make_shapes(Shape** out) {
  out[0] = new Rectangle(3, 4);
  out[1] = new Disc(2);
}
