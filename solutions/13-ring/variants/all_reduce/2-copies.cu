// expect: pass
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// bench: peer copies, then additions
//
// The ring by copies: a chunk arrives in y, and a kernel adds this GPU's own part. The second half is copies
// alone. Every link carries its share, but it is idle while kernels add, and each copy takes some
// microseconds to begin.

#include <algorithm>

#include "all_reduce.h"

namespace {

constexpr int kBlock = 256, kMostBlocks = 1024;

/// y[i] += x[i], both in the memory of this GPU.
__global__ void add(const float* x, float* y, std::size_t n) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += all) y[i] += x[i];
}

}  // namespace

void all_reduce(const float* const* x, float* const* y, int gpus, std::size_t n,
                const cudaStream_t* streams) {
  const std::size_t chunk = (n + gpus - 1) / gpus;
  cudaEvent_t done[16][2];  // of each GPU, by the parity of its step
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    for (cudaEvent_t& event : done[g]) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  for (int step = 0; step < 2 * (gpus - 1); ++step) {
    for (int g = 0; g < gpus; ++g) {
      const int last = (g + gpus - 1) % gpus, c = ((g - 1 - step) % gpus + gpus) % gpus;
      const std::size_t begin = std::min(n, c * chunk), size = std::min(n, begin + chunk) - begin;
      const float* theirs = (step == 0 ? x[last] : y[last]) + begin;
      cudaSetDevice(g);
      if (step > 0) cudaStreamWaitEvent(streams[g], done[last][(step - 1) % 2], 0);
      if (size > 0) {
        cudaMemcpyPeerAsync(y[g] + begin, g, theirs, last, size * sizeof(float), streams[g]);
        const int blocks = static_cast<int>(std::min<std::size_t>((size + kBlock - 1) / kBlock, kMostBlocks));
        if (step < gpus - 1) add<<<blocks, kBlock, 0, streams[g]>>>(x[g] + begin, y[g] + begin, size);
      }
      cudaEventRecord(done[g][step % 2], streams[g]);
    }
  }
  for (int g = 0; g < gpus; ++g)
    for (cudaEvent_t event : done[g]) cudaEventDestroy(event);
  cudaSetDevice(0);
}
