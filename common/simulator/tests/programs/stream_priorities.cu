// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel in a high-priority stream goes before work of less urgent streams that was launched earlier: a
// kernel with many more blocks than fit makes room as its blocks end, and kernels that have not begun wait.
#include <vector>

#include "expect.h"

// Shared memory keeps the number of blocks on an SM small.
__global__ void busy(float* out, int steps) {
  __shared__ float padding[10 * 1024];
  float x = static_cast<float>(threadIdx.x);
  for (int i = 0; i < steps; i++) x = x * 0.5f + 1.0f;
  padding[threadIdx.x] = x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = padding[threadIdx.x];
}

int main() {
  constexpr int kThreads = 32, kSteps = 1000, kTurns = 16;
  int device = 0, sms = 0, resident = 0, least = 0, greatest = 0;
  OK(cudaGetDevice(&device));
  OK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, busy, kThreads, 0));
  OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  const int full = sms * resident, many = kTurns * full;

  cudaStream_t patient, behind, urgent;
  OK(cudaStreamCreateWithPriority(&patient, cudaStreamNonBlocking, least));
  OK(cudaStreamCreateWithPriority(&behind, cudaStreamNonBlocking, least));
  OK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest));
  float *a = nullptr, *b = nullptr, *c = nullptr;
  OK(cudaMalloc(&a, sizeof(float) * many * kThreads));
  OK(cudaMalloc(&b, sizeof(float) * full * kThreads));
  OK(cudaMalloc(&c, sizeof(float) * full * kThreads));
  cudaEvent_t begin, patient_end, behind_end, urgent_end;
  for (cudaEvent_t* event : {&begin, &patient_end, &behind_end, &urgent_end}) OK(cudaEventCreate(event));

  busy<<<full, kThreads, 0, urgent>>>(c, 1);  // the code is on the device from here on
  OK(cudaDeviceSynchronize());
  OK(cudaEventRecord(begin, patient));
  busy<<<many, kThreads, 0, patient>>>(a, kSteps);
  OK(cudaEventRecord(patient_end, patient));
  busy<<<full, kThreads, 0, behind>>>(b, kSteps);
  OK(cudaEventRecord(behind_end, behind));
  busy<<<full, kThreads, 0, urgent>>>(c, kSteps);
  OK(cudaEventRecord(urgent_end, urgent));
  OK(cudaDeviceSynchronize());

  float patient_ms = 0, behind_ms = 0, urgent_ms = 0;
  OK(cudaEventElapsedTime(&patient_ms, begin, patient_end));
  OK(cudaEventElapsedTime(&behind_ms, begin, behind_end));
  OK(cudaEventElapsedTime(&urgent_ms, begin, urgent_end));
  EXPECT(urgent_ms < 0.7f * patient_ms);
  EXPECT(urgent_ms < behind_ms);

  std::vector<float> got(full * kThreads);
  for (const float* each : {a, b, c}) {
    OK(cudaMemcpy(got.data(), each, sizeof(float) * got.size(), cudaMemcpyDeviceToHost));
    for (const float x : got) EXPECT(x == 2.0f);
  }
  for (cudaStream_t each : {patient, behind, urgent}) OK(cudaStreamDestroy(each));
  for (cudaEvent_t each : {begin, patient_end, behind_end, urgent_end}) OK(cudaEventDestroy(each));
  for (float* each : {a, b, c}) OK(cudaFree(each));
  return 0;
}
