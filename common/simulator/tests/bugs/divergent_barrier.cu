// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync divergent-barrier, lines 9 and 11
// Half of a warp never comes to the barrier.
__global__ void wait(int* y) {
#ifdef FIXED
  __syncthreads();
#else
  if (threadIdx.x < 16) __syncthreads();
#endif
  y[threadIdx.x] = threadIdx.x;
}
int main() {
  int* y;
  cudaMalloc(&y, 256);
  wait<<<1, 64>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
