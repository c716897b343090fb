// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Many copies in one call. Their order among each other is open: here it is the order of the list.
#include "simulator/runtime/copy.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

bool is_order(cudaMemcpySrcAccessOrder order) {
  return order >= cudaMemcpySrcAccessOrderStream && order <= cudaMemcpySrcAccessOrderAny;
}

/// Batches cannot go to the legacy default stream.
bool is_legacy(cudaStream_t stream) { return stream == nullptr || stream == cudaStreamLegacy; }

bool are_attributes(const cudaMemcpyAttributes* attributes, const size_t* begins, size_t n, size_t copies) {
  if (!attributes || !begins || n == 0 || n > copies || begins[0] != 0) return false;
  for (size_t i = 0; i < n; i++) {
    if (!is_order(attributes[i].srcAccessOrder) || begins[i] >= copies) return false;
    if (i && begins[i] <= begins[i - 1]) return false;
  }
  return true;
}

/// A volume of bytes that lies row by row; length and height 0 mean those of the copy.
struct Rows {
  size_t pitch, slice;
};
Rows rows_of(const cudaMemcpy3DOperand& operand, const cudaExtent& extent) {
  const size_t pitch = operand.op.ptr.rowLength ? operand.op.ptr.rowLength : extent.width;
  return {pitch, pitch * (operand.op.ptr.layerHeight ? operand.op.ptr.layerHeight : extent.height)};
}

cudaError_t copy_volume(Runtime& r, const cudaMemcpy3DBatchOp& op, cudaStream_t stream) {
  const cudaExtent& e = op.extent;
  if (e.width == 0 || e.height == 0 || e.depth == 0 || !is_order(op.srcAccessOrder))
    return cudaErrorInvalidValue;
  if (op.src.type != cudaMemcpyOperandTypePointer || op.dst.type != cudaMemcpyOperandTypePointer)
    return cudaErrorNotSupported;  // arrays
  const Rows from = rows_of(op.src, e), to = rows_of(op.dst, e);
  return copy(r, {op.dst.op.ptr.ptr, to.pitch, op.src.op.ptr.ptr, from.pitch, e.width, e.height,
                  cudaMemcpyDefault, stream, true, e.depth, to.slice, from.slice});
}

}  // namespace

cudaError_t cudaMemcpyBatchAsync(void* const* to, const void* const* from, const size_t* sizes, size_t n,
                                 cudaMemcpyAttributes* attributes, size_t* begins, size_t n_attributes,
                                 cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (!to || !from || !sizes || n == 0 || is_legacy(stream) ||
        !are_attributes(attributes, begins, n_attributes, n))
      return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++) {
      if (!to[i] || !from[i] || sizes[i] == 0) return cudaErrorInvalidValue;
      const cudaError_t error =
          copy(r, {to[i], sizes[i], from[i], sizes[i], sizes[i], 1, cudaMemcpyDefault, stream, true});
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyBatchAsync_ptsz(void* const* to, const void* const* from,
                                                      const size_t* sizes, size_t n,
                                                      cudaMemcpyAttributes* attributes, size_t* begins,
                                                      size_t n_attributes, cudaStream_t stream) {
  return cudaMemcpyBatchAsync(to, from, sizes, n, attributes, begins, n_attributes, per_thread(stream));
}

cudaError_t cudaMemcpy3DBatchAsync(size_t n, cudaMemcpy3DBatchOp* list, unsigned long long flags,
                                   cudaStream_t stream) {
  return api([&](Runtime& r) {
    if (n == 0 || !list || flags != 0 || is_legacy(stream)) return cudaErrorInvalidValue;
    for (size_t i = 0; i < n; i++)
      if (const cudaError_t error = copy_volume(r, list[i], stream); error != cudaSuccess) return error;
    return cudaSuccess;
  });
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t n, cudaMemcpy3DBatchOp* list,
                                                        unsigned long long flags, cudaStream_t stream) {
  return cudaMemcpy3DBatchAsync(n, list, flags, per_thread(stream));
}
