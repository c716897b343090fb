// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// CUDA arrays. In memory their rows lie one after the other, so that a copy is that of a rectangle; caches
// see them in tiles (machine/texel_access.h).
#include "simulator/runtime/array.h"

#include <algorithm>
#include <atomic>

#include "simulator/runtime/capture.h"
#include "simulator/runtime/not_supported.h"

namespace roofline::sim::runtime {

using namespace channel;
using Shape = TextureObject::Shape;

Array* Arrays::find(cudaArray_const_t handle) {
  if (const auto found = arrays_.find(handle); found != arrays_.end()) return found->second.get();
  const auto part = parts_.find(handle);
  return part == parts_.end() ? nullptr : part->second;
}
MipmappedArray* Arrays::find(cudaMipmappedArray_const_t handle) {
  const auto found = mipmapped_.find(handle);
  return found == mipmapped_.end() ? nullptr : found->second.get();
}
cudaArray_t Arrays::add(std::unique_ptr<Array> array) {
  const auto handle = reinterpret_cast<cudaArray_t>(array.get());
  arrays_[handle] = std::move(array);
  return handle;
}
cudaMipmappedArray_t Arrays::add(std::unique_ptr<MipmappedArray> array) {
  const auto handle = reinterpret_cast<cudaMipmappedArray_t>(array.get());
  for (const auto& level : array->levels)
    parts_[reinterpret_cast<cudaArray_const_t>(level.get())] = level.get();
  mipmapped_[handle] = std::move(array);
  return handle;
}
void Arrays::remove(cudaArray_t handle) { arrays_.erase(handle); }
void Arrays::remove(cudaMipmappedArray_t handle) {
  if (const MipmappedArray* array = find(handle))
    for (const auto& level : array->levels) parts_.erase(reinterpret_cast<cudaArray_const_t>(level.get()));
  mipmapped_.erase(handle);
}
void Arrays::forget(int device) {
  std::erase_if(objects, [&](const auto& entry) { return entry.second.device == device; });
  std::erase_if(arrays_, [&](const auto& entry) { return entry.second->device == device; });
  std::erase_if(parts_, [&](const auto& entry) { return entry.second->device == device; });
  std::erase_if(mipmapped_, [&](const auto& entry) { return entry.second->device == device; });
}

cudaError_t format_of(Runtime& r, const cudaChannelFormatDesc& c, TexelFormat& format) {
  static std::atomic<bool> said = false;
  switch (c.f) {
    case cudaChannelFormatKindSigned:
      format.kind = TexelFormat::Kind::kSigned;
      break;
    case cudaChannelFormatKindUnsigned:
      format.kind = TexelFormat::Kind::kUnsigned;
      break;
    case cudaChannelFormatKindFloat:
      format.kind = TexelFormat::Kind::kFloat;
      break;
    case cudaChannelFormatKindNone:
      return cudaErrorInvalidChannelDescriptor;
    default:
      return static_cast<cudaError_t>(
          not_supported_in(r, "a channel format other than signed, unsigned and float", said));
  }
  const int n = c.w != 0 ? 4 : c.z != 0 ? 3 : c.y != 0 ? 2 : 1;
  const bool even = (n < 2 || c.y == c.x) && (n < 3 || (c.z == c.x && c.w == c.x));
  const bool bits = c.x == 16 || c.x == 32 || (c.x == 8 && format.kind != TexelFormat::Kind::kFloat);
  if (!even || !bits || n == 3) return cudaErrorInvalidChannelDescriptor;
  format.bits = static_cast<u8>(c.x);
  format.channels = static_cast<u8>(n);
  return cudaSuccess;
}

TextureObject::Shape shape_of(const cudaExtent& e, unsigned flags) {
  const bool layered = (flags & cudaArrayLayered) != 0;
  if (flags & cudaArrayCubemap) return layered ? Shape::kCubeLayered : Shape::kCube;
  if (layered) return e.height == 0 ? Shape::k1DLayered : Shape::k2DLayered;
  return e.depth != 0 ? Shape::k3D : e.height != 0 ? Shape::k2D : Shape::k1D;
}

namespace {

/// Extents that hardware allows, as cudaGetDeviceProperties says.
bool is_extent(const cudaExtent& e, unsigned flags) {
  constexpr size_t kWide = 131072, kHigh = 65536, kVolume = 16384, kLayered = 32768, kLayers = 2048;
  if (e.width == 0) return false;
  switch (shape_of(e, flags)) {
    case Shape::k1D:
      return e.width <= kWide;
    case Shape::k2D:
      return e.width <= kWide && e.height <= kHigh;
    case Shape::k3D:
      return e.height != 0 && std::max({e.width, e.height, e.depth}) <= kVolume;
    case Shape::k1DLayered:
    case Shape::k2DLayered:
      return std::max(e.width, e.height) <= kLayered && e.depth != 0 && e.depth <= kLayers;
    case Shape::kCube:
      return e.width == e.height && e.width <= kLayered && e.depth == 6;
    default:
      return e.width == e.height && e.width <= kLayered && e.depth != 0 && e.depth % 6 == 0 &&
             e.depth <= kLayers;
  }
}

/// Rows, slices and sizes of an array; gives its bytes.
u64 lay_out(Array& array) {
  const auto up = [](u64 value, u64 unit) { return (value + unit - 1) / unit * unit; };
  TexelLevel& l = array.level;
  l.width = static_cast<u32>(array.extent.width);
  l.height = static_cast<u32>(std::max<size_t>(array.extent.height, 1));
  l.depth = static_cast<u32>(std::max<size_t>(array.extent.depth, 1));
  l.pitch = up(array.row_bytes(), kTileBytes);
  l.slice = l.pitch * (l.height == 1 ? 1 : up(l.height, kTileRows));
  return l.slice * l.depth;
}

cudaError_t check_flags(Runtime& r, unsigned flags) {
  static std::atomic<bool> said = false;
  constexpr unsigned kKnown =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  constexpr unsigned kNotYet = cudaArrayColorAttachment | cudaArraySparse | cudaArrayDeferredMapping;
  if (flags & ~(kKnown | kNotYet)) return cudaErrorInvalidValue;
  if ((flags & kNotYet) == 0) return cudaSuccess;
  return static_cast<cudaError_t>(
      not_supported_in(r, "a sparse array, one with deferred mapping or a colour attachment", said));
}

std::unique_ptr<Array> new_array(Runtime& r, const cudaChannelFormatDesc& channels, const TexelFormat& format,
                                 const cudaExtent& extent, unsigned flags) {
  auto array = std::make_unique<Array>();
  array->device = r.target();
  array->channels = channels;
  array->format = format;
  array->extent = extent;
  array->flags = flags;
  return array;
}

cudaError_t check_new(Runtime& r, const cudaChannelFormatDesc* channels, const cudaExtent& extent,
                      unsigned flags, TexelFormat& format) {
  if (!channels) return cudaErrorInvalidValue;
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  if (const cudaError_t error = format_of(r, *channels, format); error != cudaSuccess) return error;
  if (const cudaError_t error = check_flags(r, flags); error != cudaSuccess) return error;
  return is_extent(extent, flags) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t allocate(Runtime& r, u64 bytes, const char* origin, u64& address) {
  Address answer;
  const Status status = r.connection().call(channel::Allocate{bytes, origin, r.connection().site()}, answer);
  address = answer.address;
  return to_cuda(status);
}

cudaError_t release(Runtime& r, int device, u64 address) {
  if (const cudaError_t error = unsafe_in_capture(r); error != cudaSuccess) return error;
  r.host_functions.wait_for_device(device);  // what is queued behind them may use it
  r.aim(device);
  const Status status = r.connection().call(Release{address, false, 0});
  if (status == Status::kOk) r.connection().show_output();
  return to_cuda(status);
}

cudaError_t make_array(Runtime& r, cudaArray_t* to, const cudaChannelFormatDesc* channels,
                       const cudaExtent& extent, unsigned flags, const char* origin) {
  TexelFormat format;
  if (!to) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_new(r, channels, extent, flags, format); error != cudaSuccess)
    return error;
  auto array = new_array(r, *channels, format, extent, flags);
  const u64 bytes = lay_out(*array);
  if (const cudaError_t error = allocate(r, bytes, origin, array->level.address); error != cudaSuccess)
    return error;
  *to = r.arrays.add(std::move(array));
  return cudaSuccess;
}

/// Half as large in each direction, at least 1; layers and faces stay.
cudaExtent smaller(const cudaExtent& e, unsigned flags, unsigned level) {
  const auto half = [&](size_t n) { return n == 0 ? 0 : std::max<size_t>(n >> level, 1); };
  const bool volume = (flags & (cudaArrayLayered | cudaArrayCubemap)) == 0;
  return {half(e.width), half(e.height), volume ? half(e.depth) : e.depth};
}

cudaError_t make_mipmapped(Runtime& r, cudaMipmappedArray_t* to, const cudaChannelFormatDesc* channels,
                           const cudaExtent& extent, unsigned levels, unsigned flags) {
  TexelFormat format;
  if (!to || levels == 0) return cudaErrorInvalidValue;
  if (const cudaError_t error = check_new(r, channels, extent, flags, format); error != cudaSuccess)
    return error;
  unsigned most = 1;
  const bool volume = (flags & (cudaArrayLayered | cudaArrayCubemap)) == 0;
  for (size_t n = std::max({extent.width, extent.height, volume ? extent.depth : 0}); n > 1; n /= 2) ++most;
  auto mipmapped = std::make_unique<MipmappedArray>();
  mipmapped->device = r.target();
  u64 bytes = 0;
  for (unsigned level = 0; level < std::min(levels, most); ++level) {
    auto array = new_array(r, *channels, format, smaller(extent, flags, level), flags);
    array->part = true;
    const u64 size = lay_out(*array);
    array->level.address = bytes;
    bytes += (size + 511) / 512 * 512;
    mipmapped->levels.push_back(std::move(array));
  }
  u64 address = 0;
  if (const cudaError_t error = allocate(r, bytes, "cudaMallocMipmappedArray", address); error != cudaSuccess)
    return error;
  for (const auto& level : mipmapped->levels) level->level.address += address;
  *to = r.arrays.add(std::move(mipmapped));
  return cudaSuccess;
}

/// One end of a copy as memory, and how many bytes one of the extent's elements has.
struct End {
  char* base = nullptr;
  size_t pitch = 0, slice = 0;
};

/// Whether an end that is an array holds what is copied; extents in bytes, rows, slices.
bool holds(const Array& array, size_t x, const cudaPos& at, size_t width, const cudaExtent& e) {
  const auto fits = [](size_t from, size_t n, size_t all) { return from <= all && n <= all - from; };
  return fits(x, width, array.row_bytes()) && fits(at.y, e.height, array.level.height) &&
         fits(at.z, e.depth, array.level.depth);
}

End end_of(const Array* array, const cudaPitchedPtr& p, const cudaPos& at) {
  if (array == nullptr)
    return {static_cast<char*>(p.ptr) + (at.z * p.ysize + at.y) * p.pitch + at.x, p.pitch, p.pitch * p.ysize};
  const TexelLevel& l = array->level;
  const u64 address = l.address + at.z * l.slice + at.y * l.pitch + at.x * array->format.bytes();
  return {reinterpret_cast<char*>(address), l.pitch, l.slice};
}

}  // namespace

cudaError_t request_of(Runtime& r, const cudaMemcpy3DParms& p, CopyRequest& q) {
  const Array* const from_array = p.srcArray ? r.arrays.find(p.srcArray) : nullptr;
  const Array* const to_array = p.dstArray ? r.arrays.find(p.dstArray) : nullptr;
  if ((p.srcArray && !from_array) || (p.dstArray && !to_array)) return cudaErrorInvalidResourceHandle;
  if ((from_array && p.srcPtr.ptr) || (to_array && p.dstPtr.ptr)) return cudaErrorInvalidValue;
  const Array* const counted = from_array ? from_array : to_array;
  if (from_array && to_array && from_array->format.bytes() != to_array->format.bytes())
    return cudaErrorInvalidValue;
  const size_t width = p.extent.width * (counted ? counted->format.bytes() : 1);
  for (const auto& [array, at] : {std::pair{from_array, p.srcPos}, std::pair{to_array, p.dstPos}})
    if (array &&
        (at.x > array->level.width || !holds(*array, at.x * array->format.bytes(), at, width, p.extent)))
      return cudaErrorInvalidValue;
  for (const cudaPitchedPtr& ptr : {p.srcPtr, p.dstPtr})
    if (size_t slice = 0; ptr.ptr != nullptr && __builtin_mul_overflow(ptr.pitch, ptr.ysize, &slice))
      return cudaErrorInvalidValue;
  const End from = end_of(from_array, p.srcPtr, p.srcPos), to = end_of(to_array, p.dstPtr, p.dstPos);
  q = {};
  q.to = to.base;
  q.to_pitch = to.pitch;
  q.from = from.base;
  q.from_pitch = from.pitch;
  q.width = width;
  q.height = p.extent.height;
  q.kind = p.kind;
  q.depth = p.extent.depth;
  q.to_slice = to.slice;
  q.from_slice = from.slice;
  return cudaSuccess;
}

}  // namespace roofline::sim::runtime

using namespace roofline::sim;
using namespace roofline::sim::runtime;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width,
                            size_t height, unsigned flags) {
  return api([&](Runtime& r) {
    if (flags & (cudaArrayLayered | cudaArrayCubemap)) return cudaErrorInvalidValue;
    return make_array(r, array, channels, {width, height, 0}, flags, "cudaMallocArray");
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags) {
  return api([&](Runtime& r) { return make_array(r, array, channels, extent, flags, "cudaMalloc3DArray"); });
}

cudaError_t cudaFreeArray(cudaArray_t handle) {
  return api([&](Runtime& r) {
    if (!handle) return cudaSuccess;
    const Array* const array = r.arrays.find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (array->part) return cudaErrorInvalidValue;
    const cudaError_t error = release(r, array->device, array->level.address);
    if (error == cudaSuccess) r.arrays.remove(handle);
    return error;
  });
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* channels,
                                     cudaExtent extent, unsigned levels, unsigned flags) {
  return api([&](Runtime& r) { return make_mipmapped(r, array, channels, extent, levels, flags); });
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t handle) {
  return api([&](Runtime& r) {
    if (!handle) return cudaSuccess;
    const MipmappedArray* const array = r.arrays.find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    const cudaError_t error = release(r, array->device, array->levels.front()->level.address);
    if (error == cudaSuccess) r.arrays.remove(handle);
    return error;
  });
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t handle, unsigned n) {
  return api([&](Runtime& r) {
    if (!level) return cudaErrorInvalidValue;
    const MipmappedArray* const array = r.arrays.find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (n >= array->levels.size()) return cudaErrorInvalidValue;
    *level = reinterpret_cast<cudaArray_t>(array->levels[n].get());
    return cudaSuccess;
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t handle) {
  return api([&](Runtime& r) {
    const Array* const array = r.arrays.find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    if (channels) *channels = array->channels;
    if (extent) *extent = array->extent;
    if (flags) *flags = array->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t handle) {
  return api([&](Runtime& r) {
    if (!channels) return cudaErrorInvalidValue;
    const Array* const array = r.arrays.find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    *channels = array->channels;
    return cudaSuccess;
  });
}
