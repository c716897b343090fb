// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, line 9
// Threads of all blocks add to one counter.
__global__ void count(int* total) {
#ifdef FIXED
  atomicAdd(total, 1);
#else
  *total = *total + 1;
#endif
}
int main() {
  int* total;
  cudaMalloc(&total, 4);
  cudaMemset(total, 0, 4);
  count<<<8, 1>>>(total);
  cudaDeviceSynchronize();
  cudaFree(total);
}
