// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Texture and surface objects.
#include <atomic>

#include "simulator/runtime/array.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/not_supported.h"
#include "simulator/runtime/say.h"

using namespace roofline::sim;
using namespace roofline::sim::channel;
using namespace roofline::sim::runtime;

namespace {

using Shape = TextureObject::Shape;
constexpr size_t kMostLinear = size_t{1} << 28, kPitchUnit = 32;

/// Whether an allocation that kernels reach holds `bytes` from there.
bool reaches(Runtime& r, const void* p, u64 bytes) {
  if (!p || !machine_reaches(p)) return false;
  AllocationState found;
  const u64 address = reinterpret_cast<u64>(p);
  if (r.connection().call(QueryAllocation{address}, found) != Status::kOk || !found.found) return false;
  return bytes <= found.bytes - (address - found.begin);
}

cudaError_t add_array(const Runtime& r, const Array* array, TextureObject& object) {
  if (!array) return cudaErrorInvalidResourceHandle;
  if (array->device != r.target()) return cudaErrorInvalidValue;
  if (object.levels.empty()) {
    object.shape = shape_of(array->extent, array->flags);
    object.format = array->format;
    object.tiled = true;
  }
  object.levels.push_back(array->level);
  return cudaSuccess;
}

cudaError_t add_linear(Runtime& r, const cudaResourceDesc& resource, TextureObject& object) {
  const auto& linear = resource.res.linear;
  if (const cudaError_t error = format_of(r, linear.desc, object.format); error != cudaSuccess) return error;
  const size_t texels = linear.sizeInBytes / object.format.bytes();
  const u64 address = reinterpret_cast<u64>(linear.devPtr);
  if (texels == 0 || texels > kMostLinear || address % object.format.bytes() != 0 ||
      !reaches(r, linear.devPtr, linear.sizeInBytes))
    return cudaErrorInvalidValue;
  object.shape = Shape::kBuffer;
  object.levels.push_back({address, static_cast<u32>(texels), 1, 1, texels * object.format.bytes(), 0});
  return cudaSuccess;
}

cudaError_t add_pitched(Runtime& r, const cudaResourceDesc& resource, TextureObject& object) {
  const auto& plane = resource.res.pitch2D;
  if (const cudaError_t error = format_of(r, plane.desc, object.format); error != cudaSuccess) return error;
  constexpr size_t kWidest = 131072, kHighest = 65000, kWidestPitch = 2097120;
  const size_t row = plane.width * object.format.bytes();
  if (plane.width == 0 || plane.height == 0 || plane.width > kWidest || plane.height > kHighest ||
      plane.pitchInBytes > kWidestPitch || plane.pitchInBytes < row || plane.pitchInBytes % kPitchUnit != 0 ||
      !reaches(r, plane.devPtr, (plane.height - 1) * plane.pitchInBytes + row))
    return cudaErrorInvalidValue;
  const u64 address = reinterpret_cast<u64>(plane.devPtr);
  if (address % kPitchUnit != 0) return cudaErrorInvalidValue;
  object.shape = Shape::k2D;
  object.levels.push_back(
      {address, static_cast<u32>(plane.width), static_cast<u32>(plane.height), 1, plane.pitchInBytes, 0});
  return cudaSuccess;
}

/// The memory behind an object.
cudaError_t add_resource(Runtime& r, const cudaResourceDesc& resource, TextureObject& object) {
  if (resource.flags != 0) return cudaErrorInvalidValue;
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return add_array(r, r.arrays.find(resource.res.array.array), object);
    case cudaResourceTypeMipmappedArray: {
      const MipmappedArray* const whole = r.arrays.find(resource.res.mipmap.mipmap);
      if (!whole) return cudaErrorInvalidResourceHandle;
      for (const auto& level : whole->levels)
        if (const cudaError_t error = add_array(r, level.get(), object); error != cudaSuccess) return error;
      return cudaSuccess;
    }
    case cudaResourceTypeLinear:
      return add_linear(r, resource, object);
    case cudaResourceTypePitch2D:
      return add_pitched(r, resource, object);
    default:
      return cudaErrorInvalidValue;
  }
}

bool is_known(const cudaTextureDesc& t) {
  for (const cudaTextureAddressMode mode : t.addressMode)
    if (mode < cudaAddressModeWrap || mode > cudaAddressModeBorder) return false;
  const auto filter = [](cudaTextureFilterMode mode) {
    return mode == cudaFilterModePoint || mode == cudaFilterModeLinear;
  };
  return filter(t.filterMode) && filter(t.mipmapFilterMode) &&
         (t.readMode == cudaReadModeElementType || t.readMode == cudaReadModeNormalizedFloat);
}

/// How texels are read and joined.
cudaError_t add_sampler(Runtime& r, const cudaTextureDesc& t, TextureObject& object) {
  static std::atomic<bool> said = false;
  if (!is_known(t)) return cudaErrorInvalidValue;
  const TexelFormat& format = object.format;
  const bool floats = format.kind == TexelFormat::Kind::kFloat;
  object.unit_values = !floats && t.readMode == cudaReadModeNormalizedFloat;
  if (object.unit_values && format.bits == 32) return cudaErrorInvalidNormSetting;
  object.linear = t.filterMode == cudaFilterModeLinear;
  object.linear_levels = t.mipmapFilterMode == cudaFilterModeLinear && object.levels.size() > 1;
  if ((object.linear || object.linear_levels) && !floats && !object.unit_values)
    return cudaErrorInvalidFilterSetting;
  const bool cube = object.shape >= Shape::kCube;
  if (cube && t.seamlessCubemap != 0 && object.linear)
    return static_cast<cudaError_t>(
        not_supported_in(r, "filtering across the edges of a cubemap (seamlessCubemap)", said));
  object.normalised = t.normalizedCoords != 0;
  if (object.levels.size() > 1 && !object.normalised && !cube) return cudaErrorInvalidValue;
  object.srgb = t.sRGB != 0 && format.kind == TexelFormat::Kind::kUnsigned;
  object.anisotropic = t.maxAnisotropy > 1;
  object.level_bias = t.mipmapLevelBias;
  object.lowest_level = t.minMipmapLevelClamp;
  object.highest_level = t.maxMipmapLevelClamp;
  for (size_t i = 0; i < 4; ++i) object.border[i] = t.borderColor[i];
  for (size_t i = 0; i < 3; ++i) object.modes[i] = static_cast<AddressMode>(t.addressMode[i]);
  if (object.shape == Shape::kBuffer) {  // read by number; what lies outside is 0
    object.linear = object.normalised = false;
    object.modes.fill(AddressMode::kBorder);
    object.border = {};
  }
  return cudaSuccess;
}

/// A view that says no more than the resource does.
bool is_plain(const cudaResourceViewDesc& v) {
  return v.format == cudaResViewFormatNone && v.firstMipmapLevel == 0 && v.lastMipmapLevel == 0 &&
         v.firstLayer == 0 && v.lastLayer == 0;
}

cudaError_t add(Runtime& r, u64* to, Object described, TextureObject object) {
  Address answer;
  const Status status = r.connection().call(CreateTexture{std::move(object)}, answer);
  if (status != Status::kOk) return to_cuda(status);
  described.device = r.target();
  r.arrays.objects[answer.address] = described;
  *to = answer.address;
  return cudaSuccess;
}

const Object* find(Runtime& r, u64 number, bool surface) {
  const auto found = r.arrays.objects.find(number);
  return found != r.arrays.objects.end() && found->second.surface == surface ? &found->second : nullptr;
}

cudaError_t destroy(u64 number, bool surface) {
  return api([&](Runtime& r) {
    const Object* const object = find(r, number, surface);
    if (!object) return cudaErrorInvalidValue;
    r.aim(object->device);
    r.arrays.objects.erase(number);
    return to_cuda(r.connection().call(DestroyTexture{number}));
  });
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* made, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* texture, const cudaResourceViewDesc* view) {
  return api([&](Runtime& r) {
    if (!made || !resource || !texture) return cudaErrorInvalidValue;
    static std::atomic<bool> said = false;
    if (view && !is_plain(*view))
      return static_cast<cudaError_t>(not_supported_in(r, "a texture object with a resource view", said));
    TextureObject object;
    if (const cudaError_t error = add_resource(r, *resource, object); error != cudaSuccess) return error;
    if (const cudaError_t error = add_sampler(r, *texture, object); error != cudaSuccess) return error;
    u64 number = 0;
    const cudaError_t error = add(r, &number, {0, false, *resource, *texture}, std::move(object));
    *made = number;
    return error;
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t number) { return destroy(number, false); }

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t number) {
  return api([&](Runtime& r) {
    const Object* const object = find(r, number, false);
    if (!resource || !object) return cudaErrorInvalidValue;
    *resource = object->resource;
    return cudaSuccess;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t number) {
  return api([&](Runtime& r) {
    const Object* const object = find(r, number, false);
    if (!texture || !object) return cudaErrorInvalidValue;
    *texture = object->texture;
    return cudaSuccess;
  });
}

/// No object has a view of its own.
cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc*, cudaTextureObject_t) {
  return api([](Runtime&) { return cudaErrorInvalidValue; });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* made, const cudaResourceDesc* resource) {
  return api([&](Runtime& r) {
    if (!made || !resource || resource->resType != cudaResourceTypeArray) return cudaErrorInvalidValue;
    TextureObject object;
    if (const cudaError_t error = add_resource(r, *resource, object); error != cudaSuccess) return error;
    if ((r.arrays.find(resource->res.array.array)->flags & cudaArraySurfaceLoadStore) == 0) {
      say("cudaCreateSurfaceObject: the array was made without cudaArraySurfaceLoadStore");
      return cudaErrorInvalidValue;
    }
    object.surface = true;
    u64 number = 0;
    const cudaError_t error = add(r, &number, {0, true, *resource, {}}, std::move(object));
    *made = number;
    return error;
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t number) { return destroy(number, true); }

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t number) {
  return api([&](Runtime& r) {
    const Object* const object = find(r, number, true);
    if (!resource || !object) return cudaErrorInvalidValue;
    *resource = object->resource;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t* texels, const cudaChannelFormatDesc* channels,
                                                 int device) {
  return api([&](Runtime& r) {
    TexelFormat format;
    if (!texels || !channels) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    if (const cudaError_t error = format_of(r, *channels, format); error != cudaSuccess) return error;
    *texels = kMostLinear;
    return cudaSuccess;
  });
}
