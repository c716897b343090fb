// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Host functions in a stream. Commands execute in the machine as they are sent, so when the stream is
// synchronized everything before the function has happened; it runs at once, in order.
#include "simulator/runtime/capture.h"
#include "simulator/runtime/host_watch.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// Waits for the stream; the caller then runs its function without the lock (it may call CUDA functions that
/// are allowed there, and other threads may go on). In a captured stream the function becomes a node instead.
cudaError_t wait_for(cudaStream_t stream, const HostCall* node, bool& captured) {
  return api([&](Runtime& r) {
    const StreamUse use = use_stream(r, stream);
    if (use.error != cudaSuccess) return use.error;
    captured = use.capture;
    if (captured) return node ? capture(use, *node) : refuse_capture(use);
    StreamState ignored;
    const Status status = r.connection().call(QueryStream{use.id}, ignored);
    r.connection().show_output();
    return to_cuda(status);
  });
}

}  // namespace

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (!function) return remember(cudaErrorInvalidValue);
  const HostCall node{function, data};
  bool captured = false;
  if (const cudaError_t error = wait_for(stream, &node, captured); error != cudaSuccess) return error;
  if (captured) return cudaSuccess;
  HostWatch::instance().pause();
  function(data);
  return cudaSuccess;
}
ROOFLINE_EXPORT cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return cudaLaunchHostFunc(per_thread(stream), function, data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  if (!callback || flags != 0) return remember(cudaErrorInvalidValue);
  bool captured = false;
  if (const cudaError_t error = wait_for(stream, nullptr, captured); error != cudaSuccess) return error;
  HostWatch::instance().pause();
  callback(stream, cudaSuccess, data);
  return cudaSuccess;
}
ROOFLINE_EXPORT cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback,
                                                       void* data, unsigned flags) {
  return cudaStreamAddCallback(per_thread(stream), callback, data, flags);
}
