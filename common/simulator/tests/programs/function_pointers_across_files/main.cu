// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Device function pointers and virtual functions across files: tables filled in one file, called in another.
// nvcc: -rdc=true
#include "expect.h"
#include "shapes.h"

using Operation = int (*)(int, int);
extern __device__ Operation g_operations[3];  // the table lies in the other file
__device__ int add(int a, int b) { return a + b; }
__device__ int g_value = 11;  // the other file stores its address

extern __device__ int* g_address;

__global__ void call(int* out) {
  const int i = threadIdx.x;
  out[i] = g_operations[i % 3](i, 5) + *g_address;
}

__global__ void areas(Shape** shapes, float* out) {
  make_shapes(shapes);
  for (int i = 0; i < 2; i++) out[i] = shapes[i]->area();
  for (int i = 0; i < 2; i++) delete shapes[i];
}

int main() {
  int* out;
  OK(cudaMallocManaged(&out, 32 * sizeof(int)));
  call<<<1, 32>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) {
    const int expected[] = {i + 5, i * 5, i - 5};
    EXPECT(out[i] == expected[i % 3] + 11);
  }
  Shape** shapes;
  float* area;
  OK(cudaMalloc(&shapes, 2 * sizeof(Shape*)));
  OK(cudaMallocManaged(&area, 2 * sizeof(float)));
  areas<<<1, 1>>>(shapes, area);
  OK(cudaDeviceSynchronize());
  EXPECT(area[0] == 12.0f && area[1] == 3.0f * 2 * 2);
  return 0;
}
