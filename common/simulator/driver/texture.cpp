// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Texture and surface objects: those of the runtime, described in other words.
#include <algorithm>

#include "simulator/driver/array.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

CUresult runtime_resource(const CUDA_RESOURCE_DESC& d, cudaResourceDesc& same) {
  same = {};
  same.flags = d.flags;
  switch (d.resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      same.resType = cudaResourceTypeArray;
      same.res.array.array = runtime_array(d.res.array.hArray);
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
      same.resType = cudaResourceTypeMipmappedArray;
      same.res.mipmap.mipmap = runtime_array(d.res.mipmap.hMipmappedArray);
      return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
      same.resType = cudaResourceTypeLinear;
      same.res.linear.devPtr = pointer(d.res.linear.devPtr);
      same.res.linear.sizeInBytes = d.res.linear.sizeInBytes;
      return channels_of(d.res.linear.format, d.res.linear.numChannels, same.res.linear.desc);
    case CU_RESOURCE_TYPE_PITCH2D:
      same.resType = cudaResourceTypePitch2D;
      same.res.pitch2D.devPtr = pointer(d.res.pitch2D.devPtr);
      same.res.pitch2D.width = d.res.pitch2D.width;
      same.res.pitch2D.height = d.res.pitch2D.height;
      same.res.pitch2D.pitchInBytes = d.res.pitch2D.pitchInBytes;
      return channels_of(d.res.pitch2D.format, d.res.pitch2D.numChannels, same.res.pitch2D.desc);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUDA_RESOURCE_DESC driver_resource(const cudaResourceDesc& d) {
  CUDA_RESOURCE_DESC same{};
  same.flags = d.flags;
  switch (d.resType) {
    case cudaResourceTypeArray:
      same.resType = CU_RESOURCE_TYPE_ARRAY;
      same.res.array.hArray = reinterpret_cast<CUarray>(d.res.array.array);
      break;
    case cudaResourceTypeMipmappedArray:
      same.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
      same.res.mipmap.hMipmappedArray = reinterpret_cast<CUmipmappedArray>(d.res.mipmap.mipmap);
      break;
    case cudaResourceTypeLinear:
      same.resType = CU_RESOURCE_TYPE_LINEAR;
      same.res.linear.devPtr = address_of(d.res.linear.devPtr);
      same.res.linear.format = format_of(d.res.linear.desc);
      same.res.linear.numChannels = count_of(d.res.linear.desc);
      same.res.linear.sizeInBytes = d.res.linear.sizeInBytes;
      break;
    default:
      same.resType = CU_RESOURCE_TYPE_PITCH2D;
      same.res.pitch2D.devPtr = address_of(d.res.pitch2D.devPtr);
      same.res.pitch2D.format = format_of(d.res.pitch2D.desc);
      same.res.pitch2D.numChannels = count_of(d.res.pitch2D.desc);
      same.res.pitch2D.width = d.res.pitch2D.width;
      same.res.pitch2D.height = d.res.pitch2D.height;
      same.res.pitch2D.pitchInBytes = d.res.pitch2D.pitchInBytes;
  }
  return same;
}

/// The driver reads 8- and 16-bit integers as floats unless it is told not to, and never wider ones.
cudaTextureReadMode read_mode(const cudaResourceDesc& resource, unsigned flags) {
  cudaChannelFormatDesc channels{};
  cudaArray_t level = resource.res.array.array;
  if (resource.resType == cudaResourceTypeLinear) channels = resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) channels = resource.res.pitch2D.desc;
  if (resource.resType == cudaResourceTypeMipmappedArray &&
      cudaGetMipmappedArrayLevel(&level, resource.res.mipmap.mipmap, 0) != cudaSuccess)
    return cudaReadModeElementType;
  if (resource.resType == cudaResourceTypeArray || resource.resType == cudaResourceTypeMipmappedArray)
    cudaGetChannelDesc(&channels, level);
  return flags & CU_TRSF_READ_AS_INTEGER || channels.x == 32 ? cudaReadModeElementType
                                                             : cudaReadModeNormalizedFloat;
}

cudaTextureDesc runtime_texture(const CUDA_TEXTURE_DESC& d, const cudaResourceDesc& resource) {
  cudaTextureDesc same{};
  for (int i = 0; i < 3; i++) same.addressMode[i] = static_cast<cudaTextureAddressMode>(d.addressMode[i]);
  same.filterMode = static_cast<cudaTextureFilterMode>(d.filterMode);
  same.readMode = read_mode(resource, d.flags);
  same.sRGB = (d.flags & CU_TRSF_SRGB) != 0;
  std::copy(std::begin(d.borderColor), std::end(d.borderColor), same.borderColor);
  same.normalizedCoords = (d.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  same.maxAnisotropy = d.maxAnisotropy;
  same.mipmapFilterMode = static_cast<cudaTextureFilterMode>(d.mipmapFilterMode);
  same.mipmapLevelBias = d.mipmapLevelBias;
  same.minMipmapLevelClamp = d.minMipmapLevelClamp;
  same.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
  same.disableTrilinearOptimization = (d.flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
  same.seamlessCubemap = (d.flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
  return same;
}

CUDA_TEXTURE_DESC driver_texture(const cudaTextureDesc& d) {
  CUDA_TEXTURE_DESC same{};
  for (int i = 0; i < 3; i++) same.addressMode[i] = static_cast<CUaddress_mode>(d.addressMode[i]);
  same.filterMode = static_cast<CUfilter_mode>(d.filterMode);
  same.flags = (d.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
               (d.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (d.sRGB ? CU_TRSF_SRGB : 0) |
               (d.disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
               (d.seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
  same.maxAnisotropy = d.maxAnisotropy;
  same.mipmapFilterMode = static_cast<CUfilter_mode>(d.mipmapFilterMode);
  same.mipmapLevelBias = d.mipmapLevelBias;
  same.minMipmapLevelClamp = d.minMipmapLevelClamp;
  same.maxMipmapLevelClamp = d.maxMipmapLevelClamp;
  std::copy(std::begin(d.borderColor), std::end(d.borderColor), same.borderColor);
  return same;
}

template <class Get>
CUresult get_resource(CUDA_RESOURCE_DESC* to, Get&& get) {
  return in_context([&] {
    cudaResourceDesc same{};
    if (!to) return cudaErrorInvalidValue;
    const cudaError_t error = get(&same);
    if (error == cudaSuccess) *to = driver_resource(same);
    return error;
  });
}

}  // namespace

CUresult cuTexObjectCreate(CUtexObject* made, const CUDA_RESOURCE_DESC* resource,
                           const CUDA_TEXTURE_DESC* texture, const CUDA_RESOURCE_VIEW_DESC* view) {
  return make(Resource::kTexture, made, [&] {
    cudaResourceDesc same{};
    if (!resource || !texture) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = runtime_resource(*resource, same); result != CUDA_SUCCESS) return result;
    const cudaTextureDesc how = runtime_texture(*texture, same);
    static_assert(sizeof(cudaResourceViewDesc) == sizeof(CUDA_RESOURCE_VIEW_DESC));
    return to_driver(
        cudaCreateTextureObject(made, &same, &how, reinterpret_cast<const cudaResourceViewDesc*>(view)));
  });
}
CUresult cuTexObjectDestroy(CUtexObject object) {
  return unmake(object, [&] { return cudaDestroyTextureObject(object); });
}
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* to, CUtexObject object) {
  return get_resource(to,
                      [&](cudaResourceDesc* same) { return cudaGetTextureObjectResourceDesc(same, object); });
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* to, CUtexObject object) {
  return in_context([&] {
    cudaTextureDesc same{};
    if (!to) return cudaErrorInvalidValue;
    const cudaError_t error = cudaGetTextureObjectTextureDesc(&same, object);
    if (error == cudaSuccess) *to = driver_texture(same);
    return error;
  });
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC*, CUtexObject object) {
  return in_context([&] { return cudaGetTextureObjectResourceViewDesc(nullptr, object); });
}
CUresult cuSurfObjectCreate(CUsurfObject* made, const CUDA_RESOURCE_DESC* resource) {
  return make(Resource::kSurface, made, [&] {
    cudaResourceDesc same{};
    if (!resource) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = runtime_resource(*resource, same); result != CUDA_SUCCESS) return result;
    return to_driver(cudaCreateSurfaceObject(made, &same));
  });
}
CUresult cuSurfObjectDestroy(CUsurfObject object) {
  return unmake(object, [&] { return cudaDestroySurfaceObject(object); });
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* to, CUsurfObject object) {
  return get_resource(to,
                      [&](cudaResourceDesc* same) { return cudaGetSurfaceObjectResourceDesc(same, object); });
}
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* texels, CUarray_format format, unsigned n,
                                            CUdevice device) {
  return initialised([&] {
    cudaChannelFormatDesc channels{};
    const CUresult result = channels_of(format, n, channels);
    return result == CUDA_SUCCESS ? to_driver(cudaDeviceGetTexture1DLinearMaxWidth(texels, &channels, device))
                                  : result;
  });
}
