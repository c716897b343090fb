// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// How many workers does a GPU need? Decoding, copying and learning a batch take as long, compared with each
// other, as in a published profile (44, 10 and 26 ms there; microseconds here, times four). A worker is a
// stream whose kernel takes time, as in part C. Percent of the time in which a step runs.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kBatches = 100, kDecode = 56'000, kStep = 33'000;  // operations of a chain
constexpr size_t kBytes = 720 * 1024;

// A chain of multiply-adds: time without bytes.
__global__ void wait(float* out, float minus, int operations) {
  float v = threadIdx.x;
#pragma unroll 16
  for (int i = 0; i < operations; ++i) v = fmaf(v, minus, 3.0F);
  out[threadIdx.x] = v;
}

struct Loader {
  std::vector<cudaStream_t> workers;
  std::vector<cudaEvent_t> ready, copied;
  std::vector<unsigned char*> host;
  unsigned char* device[2] = {};
  cudaEvent_t used[2] = {}, begin = nullptr, end = nullptr;
  cudaStream_t copies = nullptr, steps = nullptr;
  float* out = nullptr;  // a line for each worker, and one for the steps
};

constexpr int kMostWorkers = 8, kMostAhead = 2 * kMostWorkers, kLine = 32;

void decode(Loader& l, int batch, int workers, int ahead) {
  if (batch >= kBatches) return;
  const int w = batch % workers;
  cudaEventSynchronize(l.copied[batch % ahead]);
  wait<<<1, kLine, 0, l.workers[w]>>>(l.out + w * kLine, -1.0F, kDecode);
  cudaEventRecord(l.ready[batch % ahead], l.workers[w]);
}

// Microseconds of an epoch. `ahead`: batches asked for before the first is waited for; `beside`: copies in a
// stream of their own, and two buffers on the device.
float epoch(Loader& l, int workers, int ahead, bool beside) {
  cudaDeviceSynchronize();
  cudaEventRecord(l.begin, l.steps);
  for (int i = 0; i < ahead; ++i) decode(l, i, workers, ahead);
  for (int i = 0; i < kBatches; ++i) {
    const int from = i % ahead, to = beside ? i % 2 : 0;
    cudaEventSynchronize(l.ready[from]);
    cudaStream_t copies = beside ? l.copies : l.steps;
    cudaStreamWaitEvent(copies, l.used[to]);
    cudaMemcpyAsync(l.device[to], l.host[from], kBytes, cudaMemcpyHostToDevice, copies);
    cudaEventRecord(l.copied[from], copies);
    cudaStreamWaitEvent(l.steps, l.copied[from]);
    wait<<<1, kLine, 0, l.steps>>>(l.out + kMostWorkers * kLine, -1.0F, kStep);
    cudaEventRecord(l.used[to], l.steps);
    if (ahead == 1) cudaStreamSynchronize(l.steps);  // no loader: the loop itself decodes, then
    decode(l, i + ahead, workers, ahead);
  }
  cudaEventRecord(l.end, l.steps);
  cudaStreamSynchronize(l.steps);
  float ms = 0;
  cudaEventElapsedTime(&ms, l.begin, l.end);
  return ms * 1000;
}

float steps_alone(Loader& l) {
  cudaDeviceSynchronize();
  cudaEventRecord(l.begin, l.steps);
  for (int i = 0; i < kBatches; ++i)
    wait<<<1, kLine, 0, l.steps>>>(l.out + kMostWorkers * kLine, -1.0F, kStep);
  cudaEventRecord(l.end, l.steps);
  cudaStreamSynchronize(l.steps);
  float ms = 0;
  cudaEventElapsedTime(&ms, l.begin, l.end);
  return ms * 1000;
}

}  // namespace

int main() {
  Loader l;
  l.workers.resize(kMostWorkers);
  l.ready.resize(kMostAhead);
  l.copied.resize(kMostAhead);
  l.host.resize(kMostAhead);
  for (cudaStream_t& worker : l.workers) cudaStreamCreateWithFlags(&worker, cudaStreamNonBlocking);
  for (int k = 0; k < kMostAhead; ++k) {
    cudaEventCreateWithFlags(&l.ready[k], cudaEventDisableTiming);
    cudaEventCreateWithFlags(&l.copied[k], cudaEventDisableTiming);
    cudaMallocHost(&l.host[k], kBytes);
  }
  for (int k = 0; k < 2; ++k) {
    cudaMalloc(&l.device[k], kBytes);
    cudaEventCreateWithFlags(&l.used[k], cudaEventDisableTiming);
  }
  cudaStreamCreateWithFlags(&l.copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&l.steps, cudaStreamNonBlocking);
  cudaEventCreate(&l.begin);
  cudaEventCreate(&l.end);
  cudaMalloc(&l.out, (kMostWorkers + 1) * kLine * sizeof(float));

  const float steps = steps_alone(l);
  std::printf("percent of the time in which a step runs\n%8s %12s %12s\n", "workers", "copies first",
              "beside");
  std::printf("%8s %12.0f\n", "none", 100 * steps / epoch(l, 1, 1, false));
  for (int workers = 1; workers <= kMostWorkers; workers *= 2)
    std::printf("%8d %12.0f %12.0f\n", workers, 100 * steps / epoch(l, workers, 2 * workers, false),
                100 * steps / epoch(l, workers, 2 * workers, true));
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));

  for (cudaStream_t worker : l.workers) cudaStreamDestroy(worker);
  for (int k = 0; k < kMostAhead; ++k) {
    cudaEventDestroy(l.ready[k]);
    cudaEventDestroy(l.copied[k]);
    cudaFreeHost(l.host[k]);
  }
  for (int k = 0; k < 2; ++k) {
    cudaFree(l.device[k]);
    cudaEventDestroy(l.used[k]);
  }
  cudaStreamDestroy(l.copies);
  cudaStreamDestroy(l.steps);
  cudaEventDestroy(l.begin);
  cudaEventDestroy(l.end);
  cudaFree(l.out);
  return error != cudaSuccess;
}
