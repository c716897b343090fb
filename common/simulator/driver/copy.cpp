// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Copies. Those without a stream work in the default one, which a `_ptds` function changes.
#include "simulator/runtime/copy.h"

#include "simulator/driver/volume.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;
using runtime::CopyRequest;

namespace {

CUresult run(CopyRequest q, CUstream stream, bool async) {
  q.stream = given(stream);
  q.async = async;
  return with_runtime([&](runtime::Runtime& r) {
    const cudaError_t error = runtime::copy(r, q);
    if (error == cudaSuccess && !async) r.connection().show_output();
    return error;
  });
}

CUresult plain(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, CUstream stream, bool async) {
  return run({to, bytes, from, bytes, bytes, 1, kind}, stream, async);
}

template <class Copy>
CUresult rectangle(const Copy* copy, CUstream stream, bool async) {
  CopyRequest q{};
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = request_of(*copy, q);
  return result == CUDA_SUCCESS ? run(q, stream, async) : result;
}

/// The addresses name their devices; the contexts are only checked.
CUresult check_contexts(CUcontext one, CUcontext other) {
  Contexts& contexts = Contexts::instance();
  return contexts.find(one) && contexts.find(other) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult peer_copy(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                   size_t bytes, CUstream stream, bool async) {
  return in_context([&] {
    if (const CUresult result = check_contexts(to_context, from_context); result != CUDA_SUCCESS)
      return result;
    const int to_device = Contexts::instance().find(to_context)->device;
    const int from_device = Contexts::instance().find(from_context)->device;
    void *const there = pointer(to), *const here = pointer(from);
    return to_driver(async ? cudaMemcpyPeerAsync(there, to_device, here, from_device, bytes, given(stream))
                           : cudaMemcpyPeer(there, to_device, here, from_device, bytes));
  });
}

CUresult peer_volume(const CUDA_MEMCPY3D_PEER* c, CUstream stream, bool async) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult result = check_contexts(c->srcContext, c->dstContext); result != CUDA_SUCCESS)
    return result;
  CUDA_MEMCPY3D same{c->srcXInBytes,   c->srcY,        c->srcZ,         c->srcLOD,   c->srcMemoryType,
                     c->srcHost,       c->srcDevice,   c->srcArray,     nullptr,     c->srcPitch,
                     c->srcHeight,     c->dstXInBytes, c->dstY,         c->dstZ,     c->dstLOD,
                     c->dstMemoryType, c->dstHost,     c->dstDevice,    c->dstArray, nullptr,
                     c->dstPitch,      c->dstHeight,   c->WidthInBytes, c->Height,   c->Depth};
  return rectangle(&same, stream, async);
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return plain(pointer(to), pointer(from), bytes, cudaMemcpyDefault, nullptr, false);
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return plain(pointer(to), pointer(from), bytes, cudaMemcpyDefault, stream, true);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  return plain(pointer(to), from, bytes, cudaMemcpyHostToDevice, nullptr, false);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  return plain(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream, true);
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  return plain(to, pointer(from), bytes, cudaMemcpyDeviceToHost, nullptr, false);
}
CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return plain(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream, true);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return plain(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, nullptr, false);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  return plain(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream, true);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) { return rectangle(copy, nullptr, false); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) { return rectangle(copy, nullptr, false); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return rectangle(copy, stream, true);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) { return rectangle(copy, nullptr, false); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return rectangle(copy, stream, true);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                      size_t bytes) {
  return peer_copy(to, to_context, from, from_context, bytes, nullptr, false);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
                           size_t bytes, CUstream stream) {
  return peer_copy(to, to_context, from, from_context, bytes, stream, true);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* copy) { return peer_volume(copy, nullptr, false); }
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* copy, CUstream stream) {
  return peer_volume(copy, stream, true);
}
