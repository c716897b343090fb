// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 8 and 16
// One warp says by a flag that its value is there. Nothing makes the value arrive before the flag.
__global__ void hand_over(int* value, int* flag, int* y) {
  if (threadIdx.x == 0) {
    // The flag is for the threads of this block.
    *value = 42;
#ifdef FIXED
    __threadfence_block();
#endif
    atomicExch(flag, 1);
  } else if (threadIdx.x == 32) {
    while (atomicAdd(flag, 0) == 0) {
    }
    *y = *value;
  }
}
int main() {
  int* x;
  cudaMalloc(&x, 12);
  cudaMemset(x, 0, 12);
  hand_over<<<1, 64>>>(x, x + 1, x + 2);
  cudaDeviceSynchronize();
  cudaFree(x);
}
