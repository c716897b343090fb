// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync member-mask, line 13
// The lower half of a warp names all lanes, the upper half only itself: the lower half waits for a shuffle of
// the whole warp, which the upper half does not take part in.
__global__ void broadcast(int* y) {
#ifdef FIXED
  const unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
#else
  const unsigned mask = threadIdx.x < 16 ? 0xffffffffu : 0xffff0000u;
#endif
  // Lanes 0 and 16 give their values.
  y[threadIdx.x] = __shfl_sync(mask, threadIdx.x, threadIdx.x & 16);
}
int main() {
  int* y;
  cudaMalloc(&y, 128);
  broadcast<<<1, 32>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
