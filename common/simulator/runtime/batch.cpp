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

bool is_array(const cudaMemcpy3DOperand& operand) { return operand.type == cudaMemcpyOperandTypeArray; }

/// Memory as rows of elements; length and height 0 mean those of the copy.
cudaPitchedPtr rows_of(const cudaMemcpy3DOperand& operand, const cudaExtent& extent, size_t element) {
  const auto& memory = operand.op.ptr;
  const size_t length = memory.rowLength ? memory.rowLength : extent.width;
  return {memory.ptr, length * element, length, memory.layerHeight ? memory.layerHeight : extent.height};
}

cudaPos place_of(const cudaMemcpy3DOperand& operand) {
  const cudaOffset3D& offset = operand.op.array.offset;
  return {offset.x, offset.y, offset.z};
}

cudaError_t copy_volume(Runtime& r, const cudaMemcpy3DBatchOp& op, cudaStream_t stream) {
  const cudaExtent& e = op.extent;
  if (e.width == 0 || e.height == 0 || e.depth == 0 || !is_order(op.srcAccessOrder))
    return cudaErrorInvalidValue;
  size_t element = 1;  // bytes; an array's where there is one
  for (const cudaMemcpy3DOperand* end : {&op.src, &op.dst})
    if (is_array(*end)) {
      const Array* const array = r.arrays.find(end->op.array.array);
      if (!array) return cudaErrorInvalidValue;
      element = array->format.bytes();
    }
  cudaMemcpy3DParms p{};
  if (is_array(op.src)) {
    p.srcArray = op.src.op.array.array;
    p.srcPos = place_of(op.src);
  } else {
    p.srcPtr = rows_of(op.src, e, element);
  }
  if (is_array(op.dst)) {
    p.dstArray = op.dst.op.array.array;
    p.dstPos = place_of(op.dst);
  } else {
    p.dstPtr = rows_of(op.dst, e, element);
  }
  p.extent = e;
  p.kind = cudaMemcpyDefault;
  CopyRequest q{};
  if (const cudaError_t error = request_of(r, p, q); error != cudaSuccess) return error;
  q.stream = stream;
  q.async = true;
  return copy(r, q);
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
