// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "peer_ring.h"

namespace {

constexpr int kGpus = 4;

/// Of every GPU, by the parity of its step.
struct Events {
  cudaEvent_t done[kGpus][2];

  Events() {
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      cudaSetDevice(gpu);
      for (cudaEvent_t& event : done[gpu]) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    }
  }
};

}  // namespace

void peer_ring_roof(const float* x0, const float* x1, const float* x2, const float* x3, float* y0, float* y1,
                    float* y2, float* y3, int steps, std::size_t chunk, cudaStream_t stream0,
                    cudaStream_t stream1, cudaStream_t stream2, cudaStream_t stream3) {
  static Events events;
  const float* x[kGpus] = {x0, x1, x2, x3};
  float* y[kGpus] = {y0, y1, y2, y3};
  const cudaStream_t streams[kGpus] = {stream0, stream1, stream2, stream3};
  for (int step = 0; step < steps; ++step) {
    const int now = step % 2, before = 1 - now;
    for (int gpu = 0; gpu < kGpus; ++gpu) {
      const int last = (gpu + kGpus - 1) % kGpus, next = (gpu + 1) % kGpus;
      cudaSetDevice(gpu);
      if (step > 0) {
        cudaStreamWaitEvent(streams[gpu], events.done[last][before], 0);  // it is there
        cudaStreamWaitEvent(streams[gpu], events.done[next][before], 0);  // nobody reads what is overwritten
      }
      const float* from = step == 0 ? x[last] : y[last] + before * chunk;
      cudaMemcpyPeerAsync(y[gpu] + now * chunk, gpu, from, last, chunk * sizeof(float), streams[gpu]);
      cudaEventRecord(events.done[gpu][now], streams[gpu]);
    }
  }
}
