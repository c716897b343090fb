// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/device_attributes.h"

#include <cstring>

#include "simulator/runtime/runtime.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

static_assert(static_cast<u32>(cudaDevAttrMax) == kDeviceAttributes);
using Attributes = std::array<s32, kDeviceAttributes>;

Attributes attributes_of(Runtime& r, int device) {
  Attributes a = roofline::sim::attributes_of(r.device(), static_cast<u32>(device));
  const bool sharing = r.connection().sharing();
  a[kPoolHandleTypes] = sharing ? cudaMemHandleTypePosixFileDescriptor : cudaMemHandleTypeNone;
  a[kIpcEvents] = sharing;
  return a;
}

void fill_identity(cudaDeviceProp& p, const DeviceDescription& d, int device) {
  std::strncpy(p.name, d.name.c_str(), sizeof p.name - 1);
  // Not a real GPU's: says what it is.
  std::memcpy(p.uuid.bytes, "roofline-sim-gp", sizeof p.uuid.bytes - 1);
  p.uuid.bytes[sizeof p.uuid.bytes - 1] = static_cast<char>('a' + device);
  p.totalGlobalMem = d.memory_bytes;
}

template <class T>
void set(T& field, s32 value) {
  field = static_cast<T>(value);
}

/// The fields of cudaDeviceProp that are attributes under another name.
void fill_from(const Attributes& a, cudaDeviceProp& p) {
#define FIELD(name, field) set(p.field, a[cudaDevAttr##name])
  FIELD(MaxThreadsPerBlock, maxThreadsPerBlock);
  FIELD(MaxBlockDimX, maxThreadsDim[0]);
  FIELD(MaxBlockDimY, maxThreadsDim[1]);
  FIELD(MaxBlockDimZ, maxThreadsDim[2]);
  FIELD(MaxGridDimX, maxGridSize[0]);
  FIELD(MaxGridDimY, maxGridSize[1]);
  FIELD(MaxGridDimZ, maxGridSize[2]);
  FIELD(MaxSharedMemoryPerBlock, sharedMemPerBlock);
  FIELD(TotalConstantMemory, totalConstMem);
  FIELD(WarpSize, warpSize);
  FIELD(MaxPitch, memPitch);
  FIELD(MaxRegistersPerBlock, regsPerBlock);
  FIELD(TextureAlignment, textureAlignment);
  FIELD(MultiProcessorCount, multiProcessorCount);
  FIELD(CanMapHostMemory, canMapHostMemory);
  FIELD(MaxTexture1DWidth, maxTexture1D);
  FIELD(MaxTexture2DWidth, maxTexture2D[0]);
  FIELD(MaxTexture2DHeight, maxTexture2D[1]);
  FIELD(MaxTexture3DWidth, maxTexture3D[0]);
  FIELD(MaxTexture3DHeight, maxTexture3D[1]);
  FIELD(MaxTexture3DDepth, maxTexture3D[2]);
  FIELD(MaxTexture2DLayeredWidth, maxTexture2DLayered[0]);
  FIELD(MaxTexture2DLayeredHeight, maxTexture2DLayered[1]);
  FIELD(MaxTexture2DLayeredLayers, maxTexture2DLayered[2]);
  FIELD(SurfaceAlignment, surfaceAlignment);
  FIELD(ConcurrentKernels, concurrentKernels);
  FIELD(EccEnabled, ECCEnabled);
  FIELD(PciBusId, pciBusID);
  FIELD(PciDeviceId, pciDeviceID);
  FIELD(PciDomainId, pciDomainID);
  FIELD(GlobalMemoryBusWidth, memoryBusWidth);
  FIELD(L2CacheSize, l2CacheSize);
  FIELD(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor);
  FIELD(AsyncEngineCount, asyncEngineCount);
  FIELD(UnifiedAddressing, unifiedAddressing);
  FIELD(MaxTexture1DLayeredWidth, maxTexture1DLayered[0]);
  FIELD(MaxTexture1DLayeredLayers, maxTexture1DLayered[1]);
  FIELD(MaxTexture2DGatherWidth, maxTexture2DGather[0]);
  FIELD(MaxTexture2DGatherHeight, maxTexture2DGather[1]);
  FIELD(MaxTexture3DWidthAlt, maxTexture3DAlt[0]);
  FIELD(MaxTexture3DHeightAlt, maxTexture3DAlt[1]);
  FIELD(MaxTexture3DDepthAlt, maxTexture3DAlt[2]);
  FIELD(TexturePitchAlignment, texturePitchAlignment);
  FIELD(MaxTextureCubemapWidth, maxTextureCubemap);
  FIELD(MaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]);
  FIELD(MaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]);
  FIELD(MaxSurface1DWidth, maxSurface1D);
  FIELD(MaxSurface2DWidth, maxSurface2D[0]);
  FIELD(MaxSurface2DHeight, maxSurface2D[1]);
  FIELD(MaxSurface3DWidth, maxSurface3D[0]);
  FIELD(MaxSurface3DHeight, maxSurface3D[1]);
  FIELD(MaxSurface3DDepth, maxSurface3D[2]);
  FIELD(MaxSurface1DLayeredWidth, maxSurface1DLayered[0]);
  FIELD(MaxSurface1DLayeredLayers, maxSurface1DLayered[1]);
  FIELD(MaxSurface2DLayeredWidth, maxSurface2DLayered[0]);
  FIELD(MaxSurface2DLayeredHeight, maxSurface2DLayered[1]);
  FIELD(MaxSurface2DLayeredLayers, maxSurface2DLayered[2]);
  FIELD(MaxSurfaceCubemapWidth, maxSurfaceCubemap);
  FIELD(MaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]);
  FIELD(MaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]);
  FIELD(MaxTexture2DLinearWidth, maxTexture2DLinear[0]);
  FIELD(MaxTexture2DLinearHeight, maxTexture2DLinear[1]);
  FIELD(MaxTexture2DLinearPitch, maxTexture2DLinear[2]);
  FIELD(MaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]);
  FIELD(MaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]);
  FIELD(ComputeCapabilityMajor, major);
  FIELD(ComputeCapabilityMinor, minor);
  FIELD(MaxTexture1DMipmappedWidth, maxTexture1DMipmap);
  FIELD(StreamPrioritiesSupported, streamPrioritiesSupported);
  FIELD(GlobalL1CacheSupported, globalL1CacheSupported);
  FIELD(LocalL1CacheSupported, localL1CacheSupported);
  FIELD(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor);
  FIELD(MaxRegistersPerMultiprocessor, regsPerMultiprocessor);
  FIELD(ManagedMemory, managedMemory);
  FIELD(ConcurrentManagedAccess, concurrentManagedAccess);
  FIELD(ComputePreemptionSupported, computePreemptionSupported);
  FIELD(CooperativeLaunch, cooperativeLaunch);
  FIELD(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin);
  FIELD(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor);
  FIELD(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock);
  FIELD(HostRegisterSupported, hostRegisterSupported);
  FIELD(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem);
  FIELD(MemoryPoolsSupported, memoryPoolsSupported);
  FIELD(MaxPersistingL2CacheSize, persistingL2CacheMaxSize);
  FIELD(MaxAccessPolicyWindowSize, accessPolicyMaxWindowSize);
  FIELD(ClusterLaunch, clusterLaunch);
  FIELD(NumaId, deviceNumaId);
  FIELD(HostNumaId, hostNumaId);
  FIELD(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes);
  FIELD(IpcEventSupport, ipcEventSupported);
#undef FIELD
}

}  // namespace

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  return api([&](Runtime& r) {
    if (!p) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    *p = {};
    fill_identity(*p, r.device(), device);
    fill_from(attributes_of(r, device), *p);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api([&](Runtime& r) {
    if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
      return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    *value = attributes_of(r, device)[attribute];
    return cudaSuccess;
  });
}
