// expect: good
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// bench: four buckets, as if layers were equal
//
// The sums run beside the pass, and a bucket is full at a quarter of the gradients. That would be right if
// all layers had as many. Here the first four layers have a quarter together: they are the last bucket, and
// nothing hides it.

#include <algorithm>

#include "buckets.h"

namespace {

constexpr int kBlock = 1024, kAtOnce = 4;

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

/// `most_blocks`: of each kernel.
void all_reduce(const float* const* x, float* const* y, int gpus, std::size_t n, int most_blocks,
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
      const int blocks = static_cast<int>(std::min<std::size_t>((size + kBlock - 1) / kBlock, most_blocks));
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

/// `after` goes on when all that was launched in `before`, a stream of this GPU, has ended.
void wait_for(cudaStream_t before, int gpu, cudaStream_t after) {
  cudaEvent_t ended;
  cudaSetDevice(gpu);
  cudaEventCreateWithFlags(&ended, cudaEventDisableTiming);
  cudaEventRecord(ended, before);
  cudaStreamWaitEvent(after, ended, 0);
  cudaEventDestroy(ended);
}

}  // namespace

std::size_t bucket_size(std::size_t n, const Alone&) { return n / 4; }

void backward_and_sum(Backward& backward, float* const* sums, std::size_t bucket,
                      const cudaStream_t* streams) {
  const int gpus = backward.gpus();
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaStream_t summing[16];
  for (int g = 0; g < gpus; ++g) {
    cudaSetDevice(g);
    cudaStreamCreateWithFlags(&summing[g], cudaStreamNonBlocking);
  }
  std::size_t end = backward.n();  // of the gradients that are in no bucket yet
  for (int layer = backward.layers() - 1; layer >= 0; --layer) {
    for (int g = 0; g < gpus; ++g) backward.layer(g, layer, streams[g]);
    const std::size_t begin = backward.begin(layer);
    if (layer > 0 && end - begin < bucket) continue;
    const float* gradients[16];
    float* here[16];
    for (int g = 0; g < gpus; ++g) {
      gradients[g] = backward.gradients(g) + begin;
      here[g] = sums[g] + begin;
      wait_for(streams[g], g, summing[g]);
      wait_for(streams[g], g, summing[(g + 1) % gpus]);  // the first step reads the neighbour's gradients
    }
    all_reduce(gradients, here, gpus, end - begin, sms / 2, summing);
    end = begin;
  }
  for (int g = 0; g < gpus; ++g) {
    wait_for(summing[g], g, streams[g]);
    cudaStreamDestroy(summing[g]);
  }
  cudaSetDevice(0);
}
