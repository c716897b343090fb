// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync divergent-barrier, lines 9 and 14
// Each warp waits at its own barrier; that they let each other go is luck.
__global__ void roles(int* y) {
  if (threadIdx.x < 32) {
    y[threadIdx.x] = 1;
#ifndef FIXED
    __syncthreads();
#endif
  } else {
    y[threadIdx.x] = 2;
#ifndef FIXED
    __syncthreads();
#endif
  }
#ifdef FIXED
  __syncthreads();
#endif
  y[threadIdx.x + 64] = y[63 - threadIdx.x];
}
int main() {
  int* y;
  cudaMalloc(&y, 512);
  roles<<<1, 64>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
