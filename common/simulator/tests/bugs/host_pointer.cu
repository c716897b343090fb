// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory host-pointer, line 12
// A kernel is given memory of the host program.
#include <sys/mman.h>

__global__ void twice(float* x) {
#ifdef FIXED
  x[threadIdx.x] = 2;
#else
  // The address is the same in every run, and so is the report.
  x[threadIdx.x] *= 2;
#endif
}
int main() {
  void* const wanted = reinterpret_cast<void*>(0x10000000);
  float* host = static_cast<float*>(
      mmap(wanted, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
  float* device;
  cudaMalloc(&device, 32 * sizeof(float));
#ifdef FIXED
  host = device;
#endif
  twice<<<1, 32>>>(host);
  cudaDeviceSynchronize();
  cudaFree(device);
}
