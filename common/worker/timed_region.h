// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

#include <vector>

#include "worker/buffers.h"
#include "worker/gpus.h"
#include "worker/protocol.h"

namespace roofline::worker {

/// Times calls back to back with events on a GPU: the judge asks for so many that they last far longer than
/// the 0.5 us that events resolve. With `gate`, a kernel holds the stream until all calls are queued, so that
/// short kernels are not timed by how fast the host submits them. (On a simulated device the machine keeps
/// the time, and this is not used.) With several GPUs the events are the first one's: the streams of the
/// others begin after the one, and the other waits for them.
class TimedRegion {
 public:
  /// `gpus`, which has streams, must outlive this.
  explicit TimedRegion(const Gpus& gpus);
  ~TimedRegion();
  TimedRegion(const TimedRegion&) = delete;
  TimedRegion& operator=(const TimedRegion&) = delete;

  template <class Call>
  Outcome run(const Request& request, const Call& call, Reply& reply) {
    if (request.gate != 0) close_gate();
    cudaEventRecord(begin_, stream_);
    fork();
    for (unsigned i = 0; i < request.calls; ++i) call();
    join();
    cudaEventRecord(end_, stream_);
    if (request.gate != 0) open_gate();
    const cudaError_t error = cudaEventSynchronize(end_);
    if (error != cudaSuccess) return {Status::kCudaError, Stage::kSynchronize, error};
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin_, end_);
    reply.device_us = 1000.0 * static_cast<double>(milliseconds);
    return {};
  }
  /// SM clocks that pass in about 20 us of the device's own timer; 0 when it cannot be read.
  double sm_clock_mhz();

 private:
  /// The streams of other GPUs wait for the beginning; the first one waits for their end.
  void fork();
  void join();
  void close_gate();
  void open_gate();

  const Gpus& gpus_;
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::vector<cudaEvent_t> ends_;  ///< of the other GPUs
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t gate_ = nullptr, clock_ = nullptr;
  unsigned* flag_ = nullptr;             ///< mapped host memory: 1 opens the gate
  unsigned long long* ticks_ = nullptr;  ///< mapped: clocks and nanoseconds
};

}  // namespace roofline::worker
