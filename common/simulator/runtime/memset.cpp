// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/capture.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/fill.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace roofline::sim::runtime {

cudaError_t fill(Runtime& r, const FillRequest& q) {
  // Of device memory the host does not wait for either.
  const bool queues = q.async || is_device_address(q.to);
  const StreamUse use = queues ? queue_on(r, q.stream) : use_stream(r, q.stream);
  if (use.error != cudaSuccess) return use.error;
  if (use.capture && !q.async) return refuse_capture(use);
  if (q.width == 0 || q.height == 0) return cudaSuccess;
  if (!is_device_address(q.to) && !is_window_address(q.to)) return cudaErrorInvalidValue;
  const size_t row = q.width * q.element_bytes;
  if (q.height > 1 && q.pitch < row) return cudaErrorInvalidValue;
  if (use.capture)
    return capture(use, FillCall{{q.to, q.pitch, q.value, q.element_bytes, q.width, q.height}});
  const Rectangle where{reinterpret_cast<u64>(q.to), q.pitch, row, q.height};
  const Fill command{where, q.value, q.element_bytes, use.id, q.async};
  return send(r, use, [command](Runtime& runtime) { return to_cuda(runtime.connection().call(command)); });
}

}  // namespace roofline::sim::runtime

namespace {

/// Rows of all slices follow each other at the same distance.
cudaError_t fill(void* to, size_t pitch, int value, size_t width, size_t height, size_t depth,
                 cudaStream_t stream, bool async) {
  const unsigned byte = static_cast<unsigned>(value) & 0xff;
  return api([&](Runtime& r) {
    return runtime::fill(r, {to, pitch, byte, 1, width, height * depth, stream, async});
  });
}

/// A pitched volume whose slices have more rows than are filled is not one rectangle.
cudaError_t fill_volume(const cudaPitchedPtr& p, int value, const cudaExtent& e, cudaStream_t stream,
                        bool async) {
  if (e.height == p.ysize) return fill(p.ptr, p.pitch, value, e.width, e.height, e.depth, stream, async);
  for (size_t z = 0; z < e.depth; z++) {
    void* const slice = static_cast<char*>(p.ptr) + z * p.pitch * p.ysize;
    if (const cudaError_t error = fill(slice, p.pitch, value, e.width, e.height, 1, stream, async);
        error != cudaSuccess)
      return error;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemset(void* to, int value, size_t count) {
  return fill(to, count, value, count, 1, 1, nullptr, false);
}
ROOFLINE_EXPORT cudaError_t cudaMemset_ptds(void* to, int value, size_t count) {
  return fill(to, count, value, count, 1, 1, cudaStreamPerThread, false);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t count, cudaStream_t stream) {
  return fill(to, count, value, count, 1, 1, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemsetAsync_ptsz(void* to, int value, size_t count, cudaStream_t stream) {
  return cudaMemsetAsync(to, value, count, per_thread(stream));
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return fill(to, pitch, value, width, height, 1, nullptr, false);
}
ROOFLINE_EXPORT cudaError_t cudaMemset2D_ptds(void* to, size_t pitch, int value, size_t width,
                                              size_t height) {
  return fill(to, pitch, value, width, height, 1, cudaStreamPerThread, false);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return fill(to, pitch, value, width, height, 1, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemset2DAsync_ptsz(void* to, size_t pitch, int value, size_t width,
                                                   size_t height, cudaStream_t stream) {
  return cudaMemset2DAsync(to, pitch, value, width, height, per_thread(stream));
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_volume(to, value, extent, nullptr, false);
}
ROOFLINE_EXPORT cudaError_t cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
  return fill_volume(to, value, extent, cudaStreamPerThread, false);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_volume(to, value, extent, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr to, int value, cudaExtent extent,
                                                   cudaStream_t stream) {
  return fill_volume(to, value, extent, per_thread(stream), true);
}
