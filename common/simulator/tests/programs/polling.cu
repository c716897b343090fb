// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A program that does nothing but ask whether an event or a stream is done gets there.
#include "expect.h"

__global__ void work(float* x, int rounds) {
  float value = x[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 1.000001f + 0.5f;
  x[threadIdx.x] = value;
}

int main() {
  float* x;
  OK(cudaMalloc(&x, 256 * sizeof(float)));
  OK(cudaMemset(x, 0, 256 * sizeof(float)));
  cudaEvent_t done;
  cudaStream_t stream;
  OK(cudaEventCreate(&done));
  OK(cudaStreamCreate(&stream));

  long polls = 0;
  work<<<1, 256, 0, stream>>>(x, 200000);
  OK(cudaEventRecord(done, stream));
  while (cudaEventQuery(done) == cudaErrorNotReady) ++polls;
  OK(cudaEventQuery(done));
  EXPECT(polls > 0);

  polls = 0;
  work<<<1, 256, 0, stream>>>(x, 200000);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) ++polls;
  OK(cudaStreamQuery(stream));
  EXPECT(polls > 0);

  OK(cudaGetLastError());
  return 0;
}
