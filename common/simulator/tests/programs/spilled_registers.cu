// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The same sums in as many registers as they need, and in 32: what ptxas moves to memory and back takes time.
// nvcc: -gencode arch=compute_80,code=sm_80
// times: what spills cost
#include "expect.h"

constexpr int kValues = 48, kThreads = 256;
#ifdef __CUDACC_DEBUG__
constexpr bool kSpills = false;  // with -G all variables are in local memory anyway
#else
constexpr bool kSpills = true;
#endif

template <int kBlocks>
__global__ void __launch_bounds__(kThreads, kBlocks) mix(const float* in, float* out, int rounds) {
  const int thread = blockIdx.x * kThreads + threadIdx.x, all = gridDim.x * kThreads;
  float value[kValues];
#pragma unroll
  for (int i = 0; i < kValues; i++) value[i] = in[thread + all * i];
  for (int round = 0; round < rounds; round++) {
    const float factor = in[round];
#pragma unroll
    for (int i = 0; i < kValues; i++) value[i] = value[i] * factor + value[(i * 7 + 1) % kValues];
  }
#pragma unroll
  for (int i = 0; i < kValues; i++) out[thread + all * i] = value[i];
}

int main() {
  constexpr int kRounds = 50;
  int device = 0, sms = 0;
  OK(cudaGetDevice(&device));
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  cudaFuncAttributes roomy, crowded;
  OK(cudaFuncGetAttributes(&roomy, mix<1>));
  OK(cudaFuncGetAttributes(&crowded, mix<8>));
  EXPECT(crowded.localSizeBytes > roomy.localSizeBytes || !kSpills);

  const int blocks = sms;
  const size_t bytes = sizeof(float) * kValues * kThreads * blocks;
  float *in, *out[2];
  OK(cudaMalloc(&in, bytes));
  OK(cudaMemset(in, 0, bytes));
  for (float*& each : out) OK(cudaMalloc(&each, bytes));
  cudaEvent_t begin, middle, end;
  for (cudaEvent_t* event : {&begin, &middle, &end}) OK(cudaEventCreate(event));
  for (int i = 0; i < 2; i++) {  // the first time loads the code
    OK(cudaEventRecord(begin));
    mix<1><<<blocks, kThreads>>>(in, out[0], kRounds);
    OK(cudaEventRecord(middle));
    mix<8><<<blocks, kThreads>>>(in, out[1], kRounds);
    OK(cudaEventRecord(end));
  }
  OK(cudaDeviceSynchronize());
  float roomy_ms = 0, crowded_ms = 0;
  OK(cudaEventElapsedTime(&roomy_ms, begin, middle));
  OK(cudaEventElapsedTime(&crowded_ms, middle, end));
  // A round of a warp is 48 FMAs, which an SM with 64 lanes does in 24 clocks. What is spilled crosses a path
  // of one request a clock.
  EXPECT(crowded_ms > 1.5f * roomy_ms || !kSpills);
  EXPECT(crowded_ms < 20 * roomy_ms);
  for (cudaEvent_t each : {begin, middle, end}) OK(cudaEventDestroy(each));
  for (float* each : {in, out[0], out[1]}) OK(cudaFree(each));
  return 0;
}
