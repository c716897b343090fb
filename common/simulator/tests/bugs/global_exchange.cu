// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 6 and 10
// Threads of a block exchange values through global memory without a barrier.
__global__ void rotate(int* x, int* y) {
  x[threadIdx.x] = threadIdx.x;
#ifdef FIXED
  __syncthreads();
#endif
  y[threadIdx.x] = x[(threadIdx.x + 64) % 128];
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 512);
  cudaMalloc(&y, 512);
  rotate<<<1, 128>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
