// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The Mandelbrot set: loops whose length differs from lane to lane. Products and sums are kept apart so that
// host and device agree exactly.
#include "expect.h"

__host__ __device__ inline float product(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

__host__ __device__ int iterations(float cx, float cy, int most) {
  float x = 0, y = 0;
  int n = 0;
  while (n < most) {
    const float xx = product(x, x), yy = product(y, y), xy = product(x, y);
    if (xx + yy > 4.0f) break;
    x = xx - yy + cx;
    y = xy + xy + cy;
    n++;
  }
  return n;
}

__global__ void mandelbrot(int* out, int width, int height, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  out[py * width + px] = iterations(-2.25f + 0.03125f * px, -1.5f + 0.0625f * py, most);
}

int main() {
  const int width = 96, height = 48, most = 200;
  int* out;
  OK(cudaMallocManaged(&out, width * height * sizeof(int)));
  mandelbrot<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(out, width, height, most);
  OK(cudaDeviceSynchronize());
  int inside = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      EXPECT(out[y * width + x] == iterations(-2.25f + 0.03125f * x, -1.5f + 0.0625f * y, most));
      inside += out[y * width + x] == most;
    }
  EXPECT(inside > 300 && inside < 2000);
  return 0;
}
