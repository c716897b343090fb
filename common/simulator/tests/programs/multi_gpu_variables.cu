// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Every device has its own copy of a __device__ and of a __constant__ variable, with the initial value of the
// program; a __managed__ variable is one for all.
// run: --gpus 2
#include "expect.h"

__device__ int counter = 100;
__constant__ int step = 1;
__managed__ int shared_by_all = 7;

__global__ void advance() {
  counter += step;
  shared_by_all += step;
}

int main() {
  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  if (devices < 2) return 0;
  void* address[2];
  for (int device = 0; device < 2; device++) {
    OK(cudaSetDevice(device));
    const int mine = device == 0 ? 1 : 10;
    OK(cudaMemcpyToSymbol(step, &mine, sizeof mine));
    for (int i = 0; i < 3; i++) advance<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    OK(cudaGetSymbolAddress(&address[device], counter));
  }
  EXPECT(address[0] != address[1]);
  for (int device = 0; device < 2; device++) {
    OK(cudaSetDevice(device));
    int value = 0;
    OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    EXPECT(value == (device == 0 ? 103 : 130));
  }
  EXPECT(shared_by_all == 7 + 3 + 30);
  // A reset forgets the variables of one device only.
  OK(cudaSetDevice(1));
  OK(cudaDeviceReset());
  int value = 0;
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT(value == 100);
  OK(cudaSetDevice(0));
  OK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  EXPECT(value == 103);
}
