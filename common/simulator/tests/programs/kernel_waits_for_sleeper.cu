// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A kernel waits for a word of device memory; the thread that will copy it there sleeps first, for long.
// misuses: what streams do at the same time is not ordered, and the checks say so
#include <chrono>
#include <thread>

#include "expect.h"

__global__ void wait_for(const volatile int* flag, int* saw) {
  int value;
  while ((value = *flag) == 0) {
  }
  *saw = value;
}

int main() {
  int *flag, *saw;
  OK(cudaMalloc(&flag, sizeof(int)));
  OK(cudaMalloc(&saw, sizeof(int)));
  OK(cudaMemset(flag, 0, sizeof(int)));
  cudaStream_t kernels, copies;
  OK(cudaStreamCreateWithFlags(&kernels, cudaStreamNonBlocking));
  OK(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking));
  int* seven = nullptr;
  OK(cudaMallocHost(&seven, sizeof(int)));
  *seven = 7;
  wait_for<<<1, 1, 0, kernels>>>(flag, saw);
  OK(cudaGetLastError());
  std::thread sleeper([=] {
    std::this_thread::sleep_for(std::chrono::seconds(7));
    OK(cudaMemcpyAsync(flag, seven, sizeof(int), cudaMemcpyHostToDevice, copies));
  });
  OK(cudaStreamSynchronize(kernels));
  sleeper.join();
  int found = 0;
  OK(cudaMemcpy(&found, saw, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(found == 7);
  return 0;
}
