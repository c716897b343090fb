// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two kernels with a block for each SM run at the same time: an SM has places for many more such blocks.
#include "expect.h"

__global__ void busy(float* out, int steps) {
  float x = static_cast<float>(threadIdx.x);
  for (int i = 0; i < steps; i++) x = x * 0.5f + 1.0f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main() {
  constexpr int kThreads = 32, kSteps = 20000, kStreams = 2;
  int device = 0, sms = 0;
  OK(cudaGetDevice(&device));
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  cudaStream_t streams[kStreams];
  cudaEvent_t begin, alone, both, joined;
  float* out[kStreams];
  for (cudaEvent_t* event : {&begin, &alone, &both, &joined}) OK(cudaEventCreate(event));
  for (int k = 0; k < kStreams; k++) {
    OK(cudaStreamCreateWithFlags(&streams[k], cudaStreamNonBlocking));
    OK(cudaMalloc(&out[k], sizeof(float) * sms * kThreads));
  }
  busy<<<1, kThreads, 0, streams[0]>>>(out[0], 1);  // the code is on the device from here on
  OK(cudaDeviceSynchronize());

  OK(cudaEventRecord(begin, streams[0]));
  busy<<<sms, kThreads, 0, streams[0]>>>(out[0], kSteps);
  OK(cudaEventRecord(alone, streams[0]));
  OK(cudaStreamWaitEvent(streams[1], alone, 0));
  for (int k = 0; k < kStreams; k++) busy<<<sms, kThreads, 0, streams[k]>>>(out[k], kSteps);
  OK(cudaEventRecord(joined, streams[1]));
  OK(cudaStreamWaitEvent(streams[0], joined, 0));
  OK(cudaEventRecord(both, streams[0]));
  OK(cudaDeviceSynchronize());

  float one_ms = 0, two_ms = 0;
  OK(cudaEventElapsedTime(&one_ms, begin, alone));
  OK(cudaEventElapsedTime(&two_ms, alone, both));
  EXPECT(two_ms < 1.5f * one_ms);
  for (int k = 0; k < kStreams; k++) {
    OK(cudaStreamDestroy(streams[k]));
    OK(cudaFree(out[k]));
  }
  for (cudaEvent_t each : {begin, alone, both, joined}) OK(cudaEventDestroy(each));
  return 0;
}
