// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init global-memory, line 6
// cudaMemset counts bytes, not elements.
__global__ void copy(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&y, 64 * sizeof(int));
#ifdef FIXED
  cudaMemset(x, 0, 64 * sizeof(int));
#else
  cudaMemset(x, 0, 64);
#endif
  copy<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}
