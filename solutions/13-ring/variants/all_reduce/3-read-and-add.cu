// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// bench: additions that read the neighbour, then peer copies
//
// In the first half copy and addition are one kernel, which reads the neighbour's memory: the link is busy
// all the time. The second half is copies, for which no SM has to work; each takes some microseconds to
// begin.

#include <algorithm>

#include "all_reduce.h"

namespace {

constexpr int kBlock = 256, kMostBlocks = 1024, kAtOnce = 4;

/// sum[i] = theirs[i] + mine[i], where theirs is in another GPU's memory. A thread has several loads on their
/// way: the link is further away than DRAM.
__global__ void add(const float* theirs, const float* mine, float* sum, std::size_t n) {
  const std::size_t all = std::size_t{gridDim.x} * kBlock;
  std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  for (; i + (kAtOnce - 1) * all < n; i += kAtOnce * all) {
    float got[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) got[k] = theirs[i + k * all];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) sum[i + k * all] = got[k] + mine[i + k * all];
  }
  for (; i < n; i += all) sum[i] = theirs[i] + mine[i];
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
    const bool adding = step < gpus - 1;
    for (int g = 0; g < gpus; ++g) {
      const int last = (g + gpus - 1) % gpus;
      // One chunk further back in each step; the second half begins with the chunk that g - 1 has finished.
      const int c = ((g - 1 - step) % gpus + gpus) % gpus;
      const std::size_t begin = std::min(n, c * chunk), size = std::min(n, begin + chunk) - begin;
      const float* theirs = (step == 0 ? x[last] : y[last]) + begin;
      const int blocks = static_cast<int>(std::min<std::size_t>((size + kBlock - 1) / kBlock, kMostBlocks));
      cudaSetDevice(g);
      if (step > 0) cudaStreamWaitEvent(streams[g], done[last][(step - 1) % 2], 0);
      if (size > 0 && adding)
        add<<<blocks, kBlock, 0, streams[g]>>>(theirs, x[g] + begin, y[g] + begin, size);
      if (size > 0 && !adding)
        cudaMemcpyPeerAsync(y[g] + begin, g, theirs, last, size * sizeof(float), streams[g]);
      cudaEventRecord(done[g][step % 2], streams[g]);
    }
  }
  for (int g = 0; g < gpus; ++g)
    for (cudaEvent_t event : done[g]) cudaEventDestroy(event);
  cudaSetDevice(0);
}
