// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernels of two GPUs wait for each other: each polls its own memory, and the other writes there over the
// link.
// run: --gpus 2
// misuses: what two GPUs do at the same time is not ordered, and the checks say so
#include "expect.h"

/// Sends `rounds` values to the other's inbox, each after the one that it got in its own.
__global__ void exchange(const volatile int* inbox, volatile int* outbox, bool begins, int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    if (begins) *outbox = round;
    while (*inbox != round) {
    }
    if (!begins) *outbox = round;
  }
}

int main() {
  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  if (devices < 2) return 0;
  int* inbox[2];
  cudaStream_t stream[2];
  for (int device = 0; device < 2; ++device) {
    OK(cudaSetDevice(device));
    OK(cudaDeviceEnablePeerAccess(1 - device, 0));
    OK(cudaStreamCreate(&stream[device]));
    OK(cudaMalloc(&inbox[device], sizeof(int)));
    OK(cudaMemset(inbox[device], 0, sizeof(int)));
    exchange<<<1, 1, 0, stream[device]>>>(inbox[device], inbox[device], false, 0);  // loads it
    OK(cudaDeviceSynchronize());
  }
  for (int device = 0; device < 2; ++device) {
    OK(cudaSetDevice(device));
    exchange<<<1, 1, 0, stream[device]>>>(inbox[device], inbox[1 - device], device == 1, 20);
  }
  for (int device = 0; device < 2; ++device) {
    OK(cudaSetDevice(device));
    OK(cudaStreamSynchronize(stream[device]));
    int last = 0;
    OK(cudaMemcpy(&last, inbox[device], sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_VALUE(20, last);
  }
  OK(cudaGetLastError());
  return 0;
}
