// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync deadlock, lines 14
// says: nobody changes any more
// A kernel waits for a word that nobody writes, one thread for the kernel, a second for that thread, a third
// for the second: none is left that could write it.
#include <cuda_runtime.h>

#include <future>
#include <thread>

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
#ifdef FIXED
  *static_cast<volatile int*>(flag) = 1;
#endif
  std::promise<void> joined;
  std::thread third([&] { joined.get_future().wait(); });
  std::thread first([] { cudaDeviceSynchronize(); });
  first.join();
  joined.set_value();
  third.join();
  cudaFree(saw);
  cudaFreeHost(flag);
}
