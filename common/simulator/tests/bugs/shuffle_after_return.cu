// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync inactive-lane, line 13
// Threads without an element return early, then the others ask for their values.
__global__ void sum(const int* x, int* y, int n) {
#ifdef FIXED
  int value = threadIdx.x < n ? x[threadIdx.x] : 0;
#else
  if (threadIdx.x >= n) return;
  int value = x[threadIdx.x];
#endif
#pragma unroll 1
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffu, value, offset);
  if (threadIdx.x == 0) *y = value;
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 80);
  cudaMalloc(&y, 4);
  cudaMemset(x, 0, 80);
  sum<<<1, 32>>>(x, y, 20);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
