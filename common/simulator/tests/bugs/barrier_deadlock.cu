// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync deadlock, line 9
// The barrier waits for 96 threads; the block has 64.
__global__ void wait(int* y) {
#ifdef FIXED
  asm volatile("bar.sync 1, 64;" ::: "memory");
#else
  asm volatile("bar.sync 1, 96;" ::: "memory");
#endif
  y[threadIdx.x] = 1;
}
int main() {
  int* y;
  cudaMalloc(&y, 256);
  wait<<<1, 64>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
