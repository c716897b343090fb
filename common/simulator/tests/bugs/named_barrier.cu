// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, lines 7 and 13
// The third warp does not take part in the barrier, but reads.
__global__ void relay(int* y) {
  __shared__ int box[96];
  box[threadIdx.x] = threadIdx.x;
#ifdef FIXED
  asm volatile("bar.sync 1, 96;" ::: "memory");
#else
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
#endif
  y[threadIdx.x] = box[(threadIdx.x + 32) % 96];
}
int main() {
  int* y;
  cudaMalloc(&y, 384);
  relay<<<1, 96>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}
