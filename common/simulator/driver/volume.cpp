// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/volume.h"

#include <algorithm>
#include <atomic>

#include "simulator/runtime/not_supported.h"

namespace roofline::sim::driver {
namespace {

struct End {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
};

CUresult no_arrays() {
  static std::atomic<bool> said = false;
  return static_cast<CUresult>(
      runtime::not_supported("a copy of a CUDA array", said, "CUDA_ERROR_NOT_SUPPORTED"));
}

/// Where an end of a copy begins, before its offsets.
CUresult base_of(const End& end, char*& base) {
  switch (end.type) {
    case CU_MEMORYTYPE_HOST:
      base = static_cast<char*>(const_cast<void*>(end.host));
      return CUDA_SUCCESS;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      base = static_cast<char*>(pointer(end.device));
      return CUDA_SUCCESS;
    case CU_MEMORYTYPE_ARRAY:
      return no_arrays();
  }
  return CUDA_ERROR_INVALID_VALUE;
}

cudaMemcpyKind kind_of(CUmemorytype from, CUmemorytype to) {
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return cudaMemcpyDefault;
  if (from == CU_MEMORYTYPE_HOST)
    return to == CU_MEMORYTYPE_HOST ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return to == CU_MEMORYTYPE_HOST ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

}  // namespace

CUresult request_of(const CUDA_MEMCPY2D& c, runtime::CopyRequest& q) {
  CUDA_MEMCPY3D same{};
  same.srcXInBytes = c.srcXInBytes;
  same.srcY = c.srcY;
  same.srcMemoryType = c.srcMemoryType;
  same.srcHost = c.srcHost;
  same.srcDevice = c.srcDevice;
  same.srcPitch = c.srcPitch;
  same.dstXInBytes = c.dstXInBytes;
  same.dstY = c.dstY;
  same.dstMemoryType = c.dstMemoryType;
  same.dstHost = c.dstHost;
  same.dstDevice = c.dstDevice;
  same.dstPitch = c.dstPitch;
  same.WidthInBytes = c.WidthInBytes;
  same.Height = c.Height;
  same.Depth = 1;
  return request_of(same, q);
}

CUresult request_of(const CUDA_MEMCPY3D& c, runtime::CopyRequest& q) {
  char *from = nullptr, *to = nullptr;
  CUresult result = base_of({c.srcMemoryType, c.srcHost, c.srcDevice}, from);
  if (result == CUDA_SUCCESS) result = base_of({c.dstMemoryType, c.dstHost, c.dstDevice}, to);
  if (result != CUDA_SUCCESS) return result;
  // A pitch of 0 means rows without a gap.
  const size_t from_pitch = c.srcPitch ? c.srcPitch : c.srcXInBytes + c.WidthInBytes;
  const size_t to_pitch = c.dstPitch ? c.dstPitch : c.dstXInBytes + c.WidthInBytes;
  const size_t from_slice = from_pitch * std::max(c.srcHeight, c.srcY + c.Height);
  const size_t to_slice = to_pitch * std::max(c.dstHeight, c.dstY + c.Height);
  q = {};
  q.from = from + c.srcZ * from_slice + c.srcY * from_pitch + c.srcXInBytes;
  q.to = to + c.dstZ * to_slice + c.dstY * to_pitch + c.dstXInBytes;
  q.from_pitch = from_pitch;
  q.to_pitch = to_pitch;
  q.width = c.WidthInBytes;
  q.height = c.Height;
  q.depth = c.Depth;
  q.from_slice = from_slice;
  q.to_slice = to_slice;
  q.kind = kind_of(c.srcMemoryType, c.dstMemoryType);
  return CUDA_SUCCESS;
}

}  // namespace roofline::sim::driver
