// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/volume.h"

#include <algorithm>

namespace roofline::sim::driver {
namespace {

/// An end of a copy: memory, or a CUDA array.
struct End {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, pitch, height;  ///< x in bytes
};

/// Where an end begins, and how far apart its rows and slices are.
struct Corner {
  char* base = nullptr;
  size_t pitch = 0, slice = 0;
};

bool fits(size_t from, size_t n, size_t all) { return from <= all && n <= all - from; }

CUresult corner_in_array(const End& end, const CUDA_MEMCPY3D& c, Corner& corner) {
  runtime::Runtime& r = runtime::Runtime::instance();
  const std::lock_guard guard(r.lock);
  const runtime::Array* const array = r.arrays.find(reinterpret_cast<cudaArray_const_t>(end.array));
  if (!array) return CUDA_ERROR_INVALID_HANDLE;
  const TexelLevel& l = array->level;
  if (!fits(end.x, c.WidthInBytes, array->row_bytes()) || !fits(end.y, c.Height, l.height) ||
      !fits(end.z, c.Depth, l.depth))
    return CUDA_ERROR_INVALID_VALUE;
  const u64 address = l.address + end.z * l.slice + end.y * l.pitch + end.x;
  corner = {reinterpret_cast<char*>(address), l.pitch, l.slice};
  return CUDA_SUCCESS;
}

CUresult corner_of(const End& end, const CUDA_MEMCPY3D& c, Corner& corner) {
  switch (end.type) {
    case CU_MEMORYTYPE_HOST:
      corner.base = static_cast<char*>(const_cast<void*>(end.host));
      break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      corner.base = static_cast<char*>(pointer(end.device));
      break;
    case CU_MEMORYTYPE_ARRAY:
      return corner_in_array(end, c, corner);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  // A pitch of 0 means rows without a gap.
  corner.pitch = end.pitch ? end.pitch : end.x + c.WidthInBytes;
  corner.slice = corner.pitch * std::max(end.height, end.y + c.Height);
  corner.base += end.z * corner.slice + end.y * corner.pitch + end.x;
  return CUDA_SUCCESS;
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
  same.srcArray = c.srcArray;
  same.srcPitch = c.srcPitch;
  same.dstXInBytes = c.dstXInBytes;
  same.dstY = c.dstY;
  same.dstMemoryType = c.dstMemoryType;
  same.dstHost = c.dstHost;
  same.dstDevice = c.dstDevice;
  same.dstArray = c.dstArray;
  same.dstPitch = c.dstPitch;
  same.WidthInBytes = c.WidthInBytes;
  same.Height = c.Height;
  same.Depth = 1;
  return request_of(same, q);
}

CUresult request_of(const CUDA_MEMCPY3D& c, runtime::CopyRequest& q) {
  Corner from, to;
  const End source{c.srcMemoryType, c.srcHost, c.srcDevice, c.srcArray, c.srcXInBytes,
                   c.srcY,          c.srcZ,    c.srcPitch,  c.srcHeight};
  const End target{c.dstMemoryType, c.dstHost, c.dstDevice, c.dstArray, c.dstXInBytes,
                   c.dstY,          c.dstZ,    c.dstPitch,  c.dstHeight};
  CUresult result = corner_of(source, c, from);
  if (result == CUDA_SUCCESS) result = corner_of(target, c, to);
  if (result != CUDA_SUCCESS) return result;
  q = {};
  q.from = from.base;
  q.to = to.base;
  q.from_pitch = from.pitch;
  q.to_pitch = to.pitch;
  q.width = c.WidthInBytes;
  q.height = c.Height;
  q.depth = c.Depth;
  q.from_slice = from.slice;
  q.to_slice = to.slice;
  q.kind = kind_of(c.srcMemoryType, c.dstMemoryType);
  return CUDA_SUCCESS;
}

}  // namespace roofline::sim::driver
