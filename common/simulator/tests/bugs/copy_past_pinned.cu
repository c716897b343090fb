// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory failed-call
// says: is refused: at its source, only 512 bytes to the end of the 1024-byte allocation
// The copy begins in the middle of the pinned memory and takes as many bytes as all of it has.
#include <cstdio>
int main() {
  float *host, *x;
  cudaMallocHost(&host, 1024);
  cudaMalloc(&x, 1024);
#ifdef FIXED
  const cudaError_t error = cudaMemcpy(x, host, 1024, cudaMemcpyHostToDevice);
#else
  const cudaError_t error = cudaMemcpy(x, host + 128, 1024, cudaMemcpyHostToDevice);
#endif
  if (error != cudaSuccess) std::puts("failed");
  cudaFree(x);
  cudaFreeHost(host);
}
