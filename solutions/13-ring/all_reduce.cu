// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 13, part A, reference. A ring in 2 (N - 1) steps. x is ready on all GPUs when the function is called;
// y[g] may be changed once the work in all streams is done, for a neighbour may still read it.
//
// In the first half GPU g reads over the link what its neighbour has added up so far, and adds its own part
// of the chunk: copy and addition are one kernel. In the
// second half the finished chunks go round. Each step waits for the neighbour's step before it, and for
// nothing else.

#include <algorithm>

#include "all_reduce.h"

namespace {

constexpr int kBlock = 256, kMostBlocks = 1024, kAtOnce = 4;

struct Add {
  __device__ float operator()(float theirs, float mine) const { return theirs + mine; }
};
struct Take {
  __device__ float operator()(float theirs, float) const { return theirs; }
};

/// to[i] = of(theirs[i], mine[i]), where theirs is in another GPU's memory. A thread has several loads on
/// their way: the link is further away than DRAM.
template <class Of>
__global__ void from_neighbour(const float* theirs, const float* mine, float* to, std::size_t n, Of of) {
  const std::size_t all = std::size_t{gridDim.x} * kBlock;
  std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  for (; i + (kAtOnce - 1) * all < n; i += kAtOnce * all) {
    float got[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) got[k] = theirs[i + k * all];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) to[i + k * all] = of(got[k], mine[i + k * all]);
  }
  for (; i < n; i += all) to[i] = of(theirs[i], mine[i]);
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
        from_neighbour<<<blocks, kBlock, 0, streams[g]>>>(theirs, x[g] + begin, y[g] + begin, size, Add{});
      if (size > 0 && !adding)
        from_neighbour<<<blocks, kBlock, 0, streams[g]>>>(theirs, theirs, y[g] + begin, size, Take{});
      cudaEventRecord(done[g][step % 2], streams[g]);
    }
  }
  for (int g = 0; g < gpus; ++g)
    for (cudaEvent_t event : done[g]) cudaEventDestroy(event);
  cudaSetDevice(0);
}
