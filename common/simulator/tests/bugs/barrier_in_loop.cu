// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync divergent-barrier, lines 15 and 17
// Threads go round the loop a different number of times.
__global__ void rounds(int* y, int n) {
  int sum = 0;
#ifdef FIXED
  const int times = n;
#else
  const int times = n + threadIdx.x % 2;
#endif
#pragma unroll 1
  for (int i = 0; i < times; ++i) {
    sum += i;
    __syncthreads();
  }
  y[threadIdx.x] = sum;
}
int main() {
  int* y;
  cudaMalloc(&y, 128);
  rounds<<<1, 32>>>(y, 3);
  cudaDeviceSynchronize();
  cudaFree(y);
}
