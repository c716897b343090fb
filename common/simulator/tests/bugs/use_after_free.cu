// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory use-after-free, line 6
// Memory is freed before the kernel that uses it is launched.
__global__ void clear(int* x) {
  x[threadIdx.x] = 0;
}
int main() {
  int* x;
  cudaMalloc(&x, 128);
#ifdef FIXED
  clear<<<1, 32>>>(x);
  cudaFree(x);
#else
  cudaFree(x);
  clear<<<1, 32>>>(x);
#endif
  cudaDeviceSynchronize();
}
