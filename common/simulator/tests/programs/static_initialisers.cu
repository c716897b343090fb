// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Objects with static storage that use the device in their constructors, before main, and in destructors,
// after it.
#include <cstring>

#include "expect.h"

class Buffer {
 public:
  explicit Buffer(int n) : n_(n) {
    OK(cudaMalloc(&p_, n * sizeof(int)));
    OK(cudaMemset(p_, 1, n * sizeof(int)));
  }
  ~Buffer() {
    const cudaError_t error = cudaFree(p_);
    EXPECT(error == cudaSuccess || error == cudaErrorCudartUnloading);
  }
  int* get() const { return p_; }

 private:
  int* p_ = nullptr;
  int n_;
};

static int g_devices = [] {
  int n = 0;
  OK(cudaGetDeviceCount(&n));
  return n;
}();
static Buffer g_buffer(100);

__device__ int g_initialised = 40 + 2;
__global__ void add(int* p) { p[threadIdx.x] += g_initialised; }

int main() {
  EXPECT(g_devices >= 1);
  static Buffer local(32);
  add<<<1, 32>>>(g_buffer.get());
  add<<<1, 32>>>(local.get());
  int host[100];
  OK(cudaMemcpy(host, g_buffer.get(), sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 100; i++) EXPECT(host[i] == 0x01010101 + (i < 32 ? 42 : 0));
  return 0;
}
