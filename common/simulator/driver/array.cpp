// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// CUDA arrays, and copies from and to them that have functions of their own.
#include "simulator/driver/array.h"

#include <algorithm>

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace roofline::sim::driver {

CUresult channels_of(CUarray_format format, unsigned n, cudaChannelFormatDesc& channels) {
  int bits = 32;
  cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      bits = 8;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      bits = 16;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      break;
    default: {
      static std::atomic<bool> said = false;
      return static_cast<CUresult>(
          runtime::not_supported("this format of a CUDA array", said, "CUDA_ERROR_NOT_SUPPORTED"));
    }
  }
  if (format == CU_AD_FORMAT_SIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT16 ||
      format == CU_AD_FORMAT_SIGNED_INT32)
    kind = cudaChannelFormatKindSigned;
  if (format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT) kind = cudaChannelFormatKindFloat;
  if (n != 1 && n != 2 && n != 4) return CUDA_ERROR_INVALID_VALUE;
  const int rest = n == 4 ? bits : 0;
  channels = {bits, n > 1 ? bits : 0, rest, rest, kind};
  return CUDA_SUCCESS;
}

CUarray_format format_of(const cudaChannelFormatDesc& c) {
  switch (c.f) {
    case cudaChannelFormatKindFloat:
      return c.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
    case cudaChannelFormatKindSigned:
      return c.x == 8    ? CU_AD_FORMAT_SIGNED_INT8
             : c.x == 16 ? CU_AD_FORMAT_SIGNED_INT16
                         : CU_AD_FORMAT_SIGNED_INT32;
    default:
      return c.x == 8    ? CU_AD_FORMAT_UNSIGNED_INT8
             : c.x == 16 ? CU_AD_FORMAT_UNSIGNED_INT16
                         : CU_AD_FORMAT_UNSIGNED_INT32;
  }
}

unsigned count_of(const cudaChannelFormatDesc& c) { return c.w != 0 ? 4 : c.y != 0 ? 2 : 1; }

}  // namespace roofline::sim::driver

namespace {

CUresult describe(CUarray array, CUDA_ARRAY3D_DESCRIPTOR& to) {
  cudaChannelFormatDesc channels;
  cudaExtent extent;
  unsigned flags = 0;
  const cudaError_t error = cudaArrayGetInfo(&channels, &extent, &flags, runtime_array(array));
  if (error == cudaSuccess)
    to = {extent.width, extent.height, extent.depth, format_of(channels), count_of(channels), flags};
  return to_driver(error);
}

/// A run of bytes between memory and an array of one dimension, or its first row. `offset`: in bytes.
struct Run {
  CUmemorytype from, to;
  const void* host_from = nullptr;
  void* host_to = nullptr;
  CUdeviceptr device_from = 0, device_to = 0;
  CUarray array_from = nullptr, array_to = nullptr;
  size_t offset_from = 0, offset_to = 0;
};

CUresult copy_run(const Run& run, size_t bytes, CUstream stream, bool async) {
  CUDA_MEMCPY3D c{};
  c.srcMemoryType = run.from;
  c.srcHost = run.host_from;
  c.srcDevice = run.device_from;
  c.srcArray = run.array_from;
  c.srcXInBytes = run.offset_from;
  c.dstMemoryType = run.to;
  c.dstHost = run.host_to;
  c.dstDevice = run.device_to;
  c.dstArray = run.array_to;
  c.dstXInBytes = run.offset_to;
  c.WidthInBytes = bytes;
  c.Height = c.Depth = 1;
  return async ? cuMemcpy3DAsync_v2(&c, given(stream)) : cuMemcpy3D_v2(&c);
}

constexpr CUmemorytype kHost = CU_MEMORYTYPE_HOST, kDevice = CU_MEMORYTYPE_DEVICE,
                       kArray = CU_MEMORYTYPE_ARRAY;

}  // namespace

CUresult cuArray3DCreate_v2(CUarray* made, const CUDA_ARRAY3D_DESCRIPTOR* d) {
  return make(Resource::kArray, made, [&] {
    cudaChannelFormatDesc channels{};
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = channels_of(d->Format, d->NumChannels, channels);
    if (result != CUDA_SUCCESS) return result;
    return to_driver(cudaMalloc3DArray(reinterpret_cast<cudaArray_t*>(made), &channels,
                                       {d->Width, d->Height, d->Depth}, d->Flags));
  });
}
CUresult cuArrayCreate_v2(CUarray* made, const CUDA_ARRAY_DESCRIPTOR* d) {
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR same{d->Width, d->Height, 0, d->Format, d->NumChannels, 0};
  return cuArray3DCreate_v2(made, &same);
}
CUresult cuArrayDestroy(CUarray array) {
  return unmake(u64(array),
                [&] { return array ? cudaFreeArray(runtime_array(array)) : cudaErrorInvalidResourceHandle; });
}
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* d, CUarray array) {
  return in_context([&] { return d ? describe(array, *d) : CUDA_ERROR_INVALID_VALUE; });
}
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* d, CUarray array) {
  return in_context([&] {
    CUDA_ARRAY3D_DESCRIPTOR all{};
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = describe(array, all);
    if (result == CUDA_SUCCESS) *d = {all.Width, all.Height, all.Format, all.NumChannels};
    return result;
  });
}

CUresult cuMipmappedArrayCreate(CUmipmappedArray* made, const CUDA_ARRAY3D_DESCRIPTOR* d, unsigned levels) {
  return make(Resource::kMipmappedArray, made, [&] {
    cudaChannelFormatDesc channels{};
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = channels_of(d->Format, d->NumChannels, channels);
    if (result != CUDA_SUCCESS) return result;
    return to_driver(cudaMallocMipmappedArray(reinterpret_cast<cudaMipmappedArray_t*>(made), &channels,
                                              {d->Width, d->Height, d->Depth}, levels, d->Flags));
  });
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray array) {
  return unmake(u64(array), [&] {
    return array ? cudaFreeMipmappedArray(runtime_array(array)) : cudaErrorInvalidResourceHandle;
  });
}
CUresult cuMipmappedArrayGetLevel(CUarray* level, CUmipmappedArray array, unsigned n) {
  return in_context([&] {
    return cudaGetMipmappedArrayLevel(reinterpret_cast<cudaArray_t*>(level), runtime_array(array), n);
  });
}

CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes) {
  Run run{kArray, kArray};
  run.array_from = from;
  run.offset_from = from_offset;
  run.array_to = to;
  run.offset_to = to_offset;
  return copy_run(run, bytes, nullptr, false);
}
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t bytes) {
  Run run{kArray, kDevice};
  run.array_from = from;
  run.offset_from = offset;
  run.device_to = to;
  return copy_run(run, bytes, nullptr, false);
}
CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t bytes) {
  Run run{kDevice, kArray};
  run.array_to = to;
  run.offset_to = offset;
  run.device_from = from;
  return copy_run(run, bytes, nullptr, false);
}
CUresult cuMemcpyAtoHAsync_v2(void* to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
  Run run{kArray, kHost};
  run.array_from = from;
  run.offset_from = offset;
  run.host_to = to;
  return copy_run(run, bytes, stream, true);
}
CUresult cuMemcpyAtoH_v2(void* to, CUarray from, size_t offset, size_t bytes) {
  Run run{kArray, kHost};
  run.array_from = from;
  run.offset_from = offset;
  run.host_to = to;
  return copy_run(run, bytes, nullptr, false);
}
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void* from, size_t bytes, CUstream stream) {
  Run run{kHost, kArray};
  run.array_to = to;
  run.offset_to = offset;
  run.host_from = from;
  return copy_run(run, bytes, stream, true);
}
CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void* from, size_t bytes) {
  Run run{kHost, kArray};
  run.array_to = to;
  run.offset_to = offset;
  run.host_from = from;
  return copy_run(run, bytes, nullptr, false);
}
