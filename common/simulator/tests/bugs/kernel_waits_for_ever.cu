// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync deadlock, lines 10
// says: nobody changes any more
// A kernel waits for a word that nobody writes; behind it the host has queued what comes later.
#include <cuda_runtime.h>

__global__ void wait_for(const volatile int* flag, int* saw) {
  int value;
  while ((value = *flag) == 0) {
  }
  *saw = value;
}

int main() {
  int *flag, *saw;
  cudaMallocHost(&flag, sizeof(int));
  cudaMalloc(&saw, sizeof(int));
  *flag = 0;
  wait_for<<<1, 1>>>(flag, saw);
  cudaMemsetAsync(saw, 0, sizeof(int));
#ifdef FIXED
  *static_cast<volatile int*>(flag) = 1;
#endif
  cudaDeviceSynchronize();
  cudaFree(saw);
  cudaFreeHost(flag);
}
