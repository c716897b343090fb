// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Host functions in a stream. Commands execute in the machine as they are sent: when a function is submitted,
// everything before it in its stream has happened.
#include "simulator/runtime/capture.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

/// In a captured stream the function becomes a node instead. While the host's accesses are watched the call
/// waits for it: what it touches is in order with the stream.
cudaError_t submit(cudaStream_t stream, std::function<void()> function, const HostCall* node) {
  return api([&](Runtime& r) {
    const StreamUse use = queue_on(r, stream);
    if (use.error != cudaSuccess) return use.error;
    if (use.capture) return node ? capture(use, *node) : refuse_capture(use);
    const cudaError_t error = send(r, use, [id = use.id](Runtime& runtime) {
      StreamState ignored;
      const Status status = runtime.connection().call(QueryStream{id}, ignored);
      runtime.connection().show_output();
      return to_cuda(status);
    });
    if (error == cudaSuccess) {
      r.host_functions.submit(use.place, [function = std::move(function)] {
        function();
        return true;
      });
      r.wait_while_watching(stream);
    }
    return error;
  });
}

}  // namespace

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  if (!function) return remember(cudaErrorInvalidValue);
  const HostCall node{function, data};
  return submit(
      stream, [function, data] { function(data); }, &node);
}
ROOFLINE_EXPORT cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return cudaLaunchHostFunc(per_thread(stream), function, data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  if (!callback || flags != 0) return remember(cudaErrorInvalidValue);
  return submit(
      stream, [stream, callback, data] { callback(stream, cudaSuccess, data); }, nullptr);
}
ROOFLINE_EXPORT cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback,
                                                       void* data, unsigned flags) {
  return cudaStreamAddCallback(per_thread(stream), callback, data, flags);
}
