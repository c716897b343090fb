// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 8 and 18
// The value of one block is for another, the fence for its own threads.
__global__ void hand_over(int* value, int* flag, int* y) {
  if (threadIdx.x > 0) return;
  if (blockIdx.x == 0) {
    *value = 42;
#ifdef FIXED
    __threadfence();
#else
    __threadfence_block();
#endif
    atomicExch(flag, 1);
  } else {
    while (atomicAdd(flag, 0) == 0) {
    }
    *y = *value;
  }
}
int main() {
  int* x;
  cudaMalloc(&x, 12);
  cudaMemset(x, 0, 12);
  hand_over<<<2, 32>>>(x, x + 1, x + 2);
  cudaDeviceSynchronize();
  cudaFree(x);
}
