// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync member-mask, line 11
// The upper half of the warp executes a shuffle whose mask names the lower half.
__global__ void broadcast(int* y) {
#ifdef FIXED
  const unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
#else
  const unsigned mask = 0x0000ffffu;
#endif
  y[threadIdx.x] = __shfl_xor_sync(mask, threadIdx.x, 1);
}
int main() {
  int* y;
  cudaMalloc(&y, 128);
  broadcast<<<1, 32>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
