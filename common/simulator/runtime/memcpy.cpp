// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// cudaMemcpy and its relatives. A `_ptds` twin works in the thread's own default stream.
#include "simulator/runtime/copy.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

cudaError_t run(const CopyRequest& q) {
  return api([&](Runtime& r) {
    const cudaError_t error = copy(r, q);
    if (error == cudaSuccess && !q.async) r.connection().show_output();
    return error;
  });
}

cudaError_t symbol_copy(const void* symbol, void* host_to, const void* host_from, size_t count, size_t offset,
                        cudaMemcpyKind kind, cudaStream_t stream, bool async) {
  return api([&](Runtime& r) {
    VariableFacts facts;
    if (const cudaError_t error = r.modules.find_variable(symbol, r.connection(), facts);
        error != cudaSuccess)
      return error;
    if (offset > facts.bytes || count > facts.bytes - offset) return cudaErrorInvalidValue;
    void* const address = reinterpret_cast<void*>(facts.address + offset);
    CopyRequest q{host_to ? host_to : address,
                  count,
                  host_from ? host_from : address,
                  count,
                  count,
                  1,
                  kind,
                  stream,
                  async};
    const cudaError_t error = copy(r, q);
    if (error == cudaSuccess && !async) r.connection().show_output();
    return error;
  });
}

cudaError_t copy_3d(const cudaMemcpy3DParms* p, cudaStream_t stream, bool async) {
  if (!p) return remember(cudaErrorInvalidValue);
  return api([&](Runtime& r) {
    CopyRequest q{};
    if (const cudaError_t error = request_of(r, *p, q); error != cudaSuccess) return error;
    q.stream = stream;
    q.async = async;
    const cudaError_t error = copy(r, q);
    if (error == cudaSuccess && !async) r.connection().show_output();
    return error;
  });
}

}  // namespace

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return run({dst, count, src, count, count, 1, kind});
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy_ptds(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return run({dst, count, src, count, count, 1, kind, cudaStreamPerThread});
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return run({dst, count, src, count, count, 1, kind, stream, true});
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyAsync_ptsz(void* dst, const void* src, size_t count,
                                                 cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyAsync(dst, src, count, kind, per_thread(stream));
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return run({dst, dpitch, src, spitch, width, height, kind});
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy2D_ptds(void* dst, size_t dpitch, const void* src, size_t spitch,
                                              size_t width, size_t height, cudaMemcpyKind kind) {
  return run({dst, dpitch, src, spitch, width, height, kind, cudaStreamPerThread});
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return run({dst, dpitch, src, spitch, width, height, kind, stream, true});
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy2DAsync_ptsz(void* dst, size_t dpitch, const void* src, size_t spitch,
                                                   size_t width, size_t height, cudaMemcpyKind kind,
                                                   cudaStream_t stream) {
  return cudaMemcpy2DAsync(dst, dpitch, src, spitch, width, height, kind, per_thread(stream));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) { return copy_3d(p, nullptr, false); }
ROOFLINE_EXPORT cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* p) {
  return copy_3d(p, cudaStreamPerThread, false);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_3d(p, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  return copy_3d(p, per_thread(stream), true);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return symbol_copy(symbol, nullptr, src, count, offset, kind, nullptr, false);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* src, size_t count,
                                                    size_t offset, cudaMemcpyKind kind) {
  return symbol_copy(symbol, nullptr, src, count, offset, kind, cudaStreamPerThread, false);
}
cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return symbol_copy(symbol, dst, nullptr, count, offset, kind, nullptr, false);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyFromSymbol_ptds(void* dst, const void* symbol, size_t count,
                                                      size_t offset, cudaMemcpyKind kind) {
  return symbol_copy(symbol, dst, nullptr, count, offset, kind, cudaStreamPerThread, false);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return symbol_copy(symbol, nullptr, src, count, offset, kind, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* src, size_t count,
                                                         size_t offset, cudaMemcpyKind kind,
                                                         cudaStream_t stream) {
  return cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, per_thread(stream));
}
cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return symbol_copy(symbol, dst, nullptr, count, offset, kind, stream, true);
}
ROOFLINE_EXPORT cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* dst, const void* symbol, size_t count,
                                                           size_t offset, cudaMemcpyKind kind,
                                                           cudaStream_t stream) {
  return cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, per_thread(stream));
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return api([&](Runtime& r) {
    VariableFacts facts;
    const cudaError_t error = r.modules.find_variable(symbol, r.connection(), facts);
    if (error == cudaSuccess) *address = reinterpret_cast<void*>(facts.address);
    return error;
  });
}
cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return api([&](Runtime& r) {
    VariableFacts facts;
    const cudaError_t error = r.modules.find_variable(symbol, r.connection(), facts);
    if (error == cudaSuccess) *size = facts.bytes;
    return error;
  });
}
