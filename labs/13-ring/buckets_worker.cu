// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part B: a pass over what four GPUs hold, and behind it, in each GPU's stream, somebody who
// reads the sums and writes the next gradients, as an optimiser and the next step would. Where the program
// chooses the size of its buckets, the pass and the links are measured first.

#include <utility>

#include "buckets.h"
#include "cuda/check.h"
#include "worker/worker.h"

namespace {

constexpr int kGpus = 4;

/// Touches some of the sums and gradients, from the first to the last: the checks see an access that nothing
/// orders.
__global__ void optimiser(const float* sums, float* gradients, std::size_t n) {
  const std::size_t apart = (n + blockDim.x - 1) / blockDim.x, i = threadIdx.x * apart;
  if (i < n) gradients[i] = sums[i];
}

/// The device's time between its two events in a stream of GPU 0.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    cudaSetDevice(0);
    for (cudaEvent_t& event : events_) CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaEventRecord(events_[0], stream_));
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  ~Stopwatch() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  void stop() {
    cudaSetDevice(0);
    CUDA_CHECK(cudaEventRecord(events_[1], stream_));
  }
  double us() {
    constexpr double kUsPerMs = 1000;
    float ms = 0;
    CUDA_CHECK(cudaEventSynchronize(events_[1]));
    CUDA_CHECK(cudaEventElapsedTime(&ms, events_[0], events_[1]));
    return ms * kUsPerMs;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t events_[2] = {};
};

double pass_us(Backward::Options options, cudaStream_t stream) {
  Backward backward(std::move(options));
  Stopwatch watch(stream);
  for (int layer = backward.layers() - 1; layer >= 0; --layer) backward.layer(0, layer, stream);
  watch.stop();
  return watch.us();
}

/// All GPUs fetch an array from their neighbour at the same time; a ring brings them so many times as much.
double sums_us(float* const* from, float* const* to, std::size_t n, const cudaStream_t* streams) {
  Stopwatch watch(streams[0]);
  for (int gpu = 0; gpu < kGpus; ++gpu) {
    const int left = (gpu + kGpus - 1) % kGpus;
    cudaSetDevice(gpu);
    CUDA_CHECK(cudaMemcpyPeerAsync(to[gpu], gpu, from[left], left, n * sizeof(float), streams[gpu]));
    if (gpu == 0) watch.stop();
  }
  const double us = watch.us();
  for (int gpu = 1; gpu < kGpus; ++gpu) CUDA_CHECK(cudaStreamSynchronize(streams[gpu]));
  return 2.0 * (kGpus - 1) / kGpus * us;
}

Alone alone{};

void prepare(const float* x0, const float*, const float*, const float*, float* gradients0, float* gradients1,
             float* gradients2, float* gradients3, float* sums0, float* sums1, float* sums2, float* sums3,
             std::size_t n, int layers, float scale, int work, std::size_t bucket, cudaStream_t stream0,
             cudaStream_t stream1, cudaStream_t stream2, cudaStream_t stream3) {
  if (bucket > 0) return;  // nobody asks
  float* const gradients[] = {gradients0, gradients1, gradients2, gradients3};
  float* const sums[] = {sums0, sums1, sums2, sums3};
  const cudaStream_t streams[] = {stream0, stream1, stream2, stream3};
  alone.pass_us =
      pass_us({.x = {x0}, .gradients = {gradients0}, .n = n, .layers = layers, .scale = scale, .work = work},
              stream0);
  alone.sums_us = sums_us(gradients, sums, n, streams);
  cudaSetDevice(0);
}

void call(const float* x0, const float* x1, const float* x2, const float* x3, float* gradients0,
          float* gradients1, float* gradients2, float* gradients3, float* sums0, float* sums1, float* sums2,
          float* sums3, std::size_t n, int layers, float scale, int work, std::size_t bucket,
          cudaStream_t stream0, cudaStream_t stream1, cudaStream_t stream2, cudaStream_t stream3) {
  float* const sums[] = {sums0, sums1, sums2, sums3};
  const cudaStream_t streams[] = {stream0, stream1, stream2, stream3};
  Backward backward({.x = {x0, x1, x2, x3},
                     .gradients = {gradients0, gradients1, gradients2, gradients3},
                     .n = n,
                     .layers = layers,
                     .scale = scale,
                     .work = work});
  backward_and_sum(backward, sums, bucket > 0 ? bucket : bucket_size(n, alone), streams);
  if (!backward.begun()) return;  // the function still has to be written
  for (int gpu = 0; gpu < backward.gpus(); ++gpu) {
    cudaSetDevice(gpu);
    optimiser<<<1, 256, 0, streams[gpu]>>>(sums[gpu], backward.gradients(gpu), n);
  }
  cudaSetDevice(0);
}

void release() {}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(prepare, call, release, argc, argv); }
