// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Matrix transpose: direct, and through a padded tile in shared memory with fewer threads than elements.
#include "expect.h"

__global__ void direct(const int* in, int* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__global__ void tiled(const int* in, int* out, int width, int height) {
  __shared__ int tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < width && y + k < height) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < height && y + k < width) out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

int main() {
  const int width = 100, height = 70;
  int *in, *out;
  OK(cudaMallocManaged(&in, width * height * sizeof(int)));
  OK(cudaMallocManaged(&out, width * height * sizeof(int)));
  for (int i = 0; i < width * height; i++) in[i] = i;
  const dim3 grid((width + 31) / 32, (height + 31) / 32);
  for (int version = 0; version < 2; version++) {
    OK(cudaMemset(out, 0xff, width * height * sizeof(int)));
    if (version == 0) direct<<<dim3(grid.x, grid.y * 4), dim3(32, 8)>>>(in, out, width, height);
    if (version == 1) tiled<<<grid, dim3(32, 8)>>>(in, out, width, height);
    OK(cudaDeviceSynchronize());
    for (int y = 0; y < height; y++)
      for (int x = 0; x < width; x++) EXPECT(out[x * height + y] == in[y * width + x]);
  }
  return 0;
}
