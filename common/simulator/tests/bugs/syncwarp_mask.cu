// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync member-mask, line 10
// A thread waits with a mask that does not name it.
__global__ void wait(int* y) {
  y[threadIdx.x] = 1;
#ifdef FIXED
  __syncwarp();
#else
  __syncwarp(0x7fffffffu);
#endif
  y[threadIdx.x] += 2;
}
int main() {
  int* y;
  cudaMalloc(&y, 128);
  wait<<<1, 32>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
