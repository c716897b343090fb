// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What happens to a kernel when its managed memory does not fit the GPU? The same pass over an array, x = a x
// + b,
//   forward       again and again from the first element to the last
//   to-and-fro    every other pass backwards, so that it begins with what the last one left on the GPU
//   by-hand       copied in chunks through two buffers, by copies that run beside the kernels
// for arrays from a quarter of the GPU's memory to twice it. It prints a table, GB of the array a
// second of one pass:
//
//   ./lab nvcc -O3 -arch=sm_80 -o oversubscribed labs/06-memory/experiments/oversubscribed.cu
//   ./lab run --device-memory 128MiB ./oversubscribed
//
// It refuses GPUs with more than a GiB: on a real card, which may show somebody's screen, it would keep
// driver and link busy for minutes.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    const cudaError_t error = (call);                                                     \
    if (error != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

constexpr size_t kMebi = size_t{1} << 20, kMostMemory = size_t{1} << 30, kChunk = 8 * kMebi;
constexpr int kThreads = 256;
constexpr float kA = 0.5f, kB = 1.0f;

__global__ void pass(float4* x, size_t n, bool backwards) {
  const size_t block = backwards ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
  const size_t i = block * kThreads + threadIdx.x;
  if (i >= n) return;
  float4 v = x[i];
  v = {fmaf(kA, v.x, kB), fmaf(kA, v.y, kB), fmaf(kA, v.z, kB), fmaf(kA, v.w, kB)};
  x[i] = v;
}

void launch(float4* x, size_t bytes, bool backwards, cudaStream_t stream) {
  const size_t n = bytes / sizeof(float4);
  pass<<<static_cast<unsigned>((n + kThreads - 1) / kThreads), kThreads, 0, stream>>>(x, n, backwards);
  CHECK(cudaGetLastError());
}

/// Milliseconds of `work`, between two events of the default stream, which waits for the others.
template <class Work>
double milliseconds(Work work) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  work();
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return ms;
}

/// Two passes after one that warms up.
double managed(size_t bytes, bool to_and_fro) {
  float4* x;
  CHECK(cudaMallocManaged(&x, bytes));
  x[0].x = x[bytes / sizeof(float4) - 1].w = 4;
  launch(x, bytes, false, nullptr);
  const double ms = milliseconds([&] {
    launch(x, bytes, to_and_fro, nullptr);
    launch(x, bytes, false, nullptr);
  });
  const float expected = 4 * kA * kA * kA + kB * (1 + kA + kA * kA);
  if (x[0].x != expected || x[bytes / sizeof(float4) - 1].w != expected) {
    std::fprintf(stderr, "wrong: %g and not %g\n", x[0].x, expected);
    std::exit(1);
  }
  CHECK(cudaFree(x));
  return ms / 2;
}

/// In, pass and out, each chunk in the stream of its buffer: while one buffer computes, the others copy.
double by_hand(size_t bytes) {
  constexpr int kBuffers = 3;
  char* host;
  float4* buffers[kBuffers];
  cudaStream_t streams[kBuffers];
  CHECK(cudaMallocHost(&host, bytes));
  for (int b = 0; b < kBuffers; ++b) {
    CHECK(cudaMalloc(&buffers[b], kChunk));
    CHECK(cudaStreamCreate(&streams[b]));
  }
  const double ms = milliseconds([&] {
    for (size_t at = 0, turn = 0; at < bytes; at += kChunk, ++turn) {
      const size_t part = bytes - at < kChunk ? bytes - at : kChunk;
      float4* buffer = buffers[turn % kBuffers];
      cudaStream_t stream = streams[turn % kBuffers];
      CHECK(cudaMemcpyAsync(buffer, host + at, part, cudaMemcpyHostToDevice, stream));
      launch(buffer, part, false, stream);
      CHECK(cudaMemcpyAsync(host + at, buffer, part, cudaMemcpyDeviceToHost, stream));
    }
  });
  for (int b = 0; b < kBuffers; ++b) {
    CHECK(cudaStreamDestroy(streams[b]));
    CHECK(cudaFree(buffers[b]));
  }
  CHECK(cudaFreeHost(host));
  return ms;
}

int main() {
  size_t free_bytes = 0, memory = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &memory));
  if (memory > kMostMemory) {
    std::fprintf(
        stderr,
        "This GPU has %zu MiB. Oversubscribing a real one can freeze the machine that it serves, so this "
        "program stops at 1024: ./lab run --device-memory 128MiB ./oversubscribed\n",
        memory / kMebi);
    return 2;
  }
  std::printf("%8s %8s %12s %12s %12s\n", "MiB", "of it", "forward", "to-and-fro", "by-hand");
  for (const double part : {0.25, 0.5, 0.75, 0.95, 1.05, 1.125, 1.25, 1.5, 2.0}) {
    const size_t bytes =
        static_cast<size_t>(std::llround(part * static_cast<double>(memory) / kMebi)) * kMebi;
    const auto rate = [&](double ms) { return static_cast<double>(bytes) / ms * 1e-6; };
    std::printf("%8zu %8.3f %12.2f %12.2f %12.2f\n", bytes / kMebi, part, rate(managed(bytes, false)),
                rate(managed(bytes, true)), rate(by_hand(bytes)));
    std::fflush(stdout);
  }
  return 0;
}
