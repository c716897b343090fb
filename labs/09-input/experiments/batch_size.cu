// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// How large must a batch be? 256 pictures of 64 KiB go to the GPU in batches of 1 to 64 pictures, with two
// buffers on each side, while a step computes whose time grows with its batch. Copies alone, steps alone, and
// both together, in microseconds a picture.
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int kPictures = 256, kMost = 64, kWork = 700;
constexpr size_t kBytes = 64 * 1024;

// A chain of multiply-adds: time without bytes, about as much as a picture's copy takes on an A100.
__global__ void step(const unsigned char* batch, float* out, float minus, int operations) {
  float v = batch[threadIdx.x];
#pragma unroll 16
  for (int i = 0; i < operations; ++i) v = fmaf(v, minus, 3.0F);
  out[threadIdx.x] = v;
}

struct Feed {
  unsigned char *host[2] = {}, *device[2] = {};
  float* out = nullptr;
  cudaStream_t copies = nullptr, steps = nullptr;
  cudaEvent_t arrived[2] = {}, used[2] = {}, begin = nullptr, end = nullptr;
};

// Microseconds of an epoch in which some of the work is done.
float epoch(Feed& f, int batch, bool with_copies, bool with_steps) {
  cudaEventRecord(f.begin, f.steps);
  cudaStreamWaitEvent(f.copies, f.begin);
  for (int i = 0; i < kPictures / batch; ++i) {
    const int k = i % 2;
    if (with_copies) {
      cudaEventSynchronize(f.arrived[k]);  // here the next batch would be decoded
      cudaStreamWaitEvent(f.copies, f.used[k]);
      cudaMemcpyAsync(f.device[k], f.host[k], batch * kBytes, cudaMemcpyHostToDevice, f.copies);
      cudaEventRecord(f.arrived[k], f.copies);
      cudaStreamWaitEvent(f.steps, f.arrived[k]);
    }
    if (with_steps) step<<<1, 256, 0, f.steps>>>(f.device[k], f.out, -1.0F, kWork * batch);
    cudaEventRecord(f.used[k], f.steps);
  }
  cudaEventRecord(f.end, f.steps);
  cudaStreamSynchronize(f.steps);
  float ms = 0;
  cudaEventElapsedTime(&ms, f.begin, f.end);
  return ms * 1000;
}

}  // namespace

int main() {
  Feed f;
  for (int k = 0; k < 2; ++k) {
    cudaMallocHost(&f.host[k], kMost * kBytes);
    cudaMalloc(&f.device[k], kMost * kBytes);
    cudaMemset(f.device[k], 0, kMost * kBytes);
    cudaEventCreateWithFlags(&f.arrived[k], cudaEventDisableTiming);
    cudaEventCreateWithFlags(&f.used[k], cudaEventDisableTiming);
  }
  cudaMalloc(&f.out, 256 * sizeof(float));
  cudaStreamCreateWithFlags(&f.copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&f.steps, cudaStreamNonBlocking);
  cudaEventCreate(&f.begin);
  cudaEventCreate(&f.end);
  cudaDeviceSynchronize();

  std::printf("microseconds a picture\n%8s %12s %12s %12s\n", "batch", "copies", "steps", "together");
  for (int batch = 1; batch <= kMost; batch *= 2) {
    const float copies = epoch(f, batch, true, false), steps = epoch(f, batch, false, true),
                both = epoch(f, batch, true, true);
    std::printf("%8d %12.2f %12.2f %12.2f\n", batch, copies / kPictures, steps / kPictures, both / kPictures);
  }
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));

  for (int k = 0; k < 2; ++k) {
    cudaFreeHost(f.host[k]);
    cudaFree(f.device[k]);
    cudaEventDestroy(f.arrived[k]);
    cudaEventDestroy(f.used[k]);
  }
  cudaFree(f.out);
  cudaStreamDestroy(f.copies);
  cudaStreamDestroy(f.steps);
  cudaEventDestroy(f.begin);
  cudaEventDestroy(f.end);
  return error != cudaSuccess;
}
