// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "simulator/runtime/runtime.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

/// Texture and surface limits (CUDA C++ Programming Guide, compute capabilities 7.5 to 12.0: the same for
/// all). Arrays are not supported; programs only print these.
constexpr int kTexture1D = 131072, kTexture1DLinear = 1 << 28, kTexture2D = 131072, kTexture2DHeight = 65536;
constexpr int kTexture3D = 16384, kTextureLayered = 32768, kLayers = 2048, kSurface1D = 32768,
              kSurface2D = 131072;
constexpr int kSurface2DHeight = 65536, kSurface3D = 16384, kMipmap = 32768;

int kilohertz(double mhz) { return static_cast<int>(mhz * 1000); }
int number(u64 value) { return value > 0x7fffffff ? 0x7fffffff : static_cast<int>(value); }

/// Single to double precision throughput; by compute capability (programming guide, arithmetic throughput).
int precision_ratio(const DeviceDescription& d) {
  switch (10 * d.compute_major + d.compute_minor) {
    case 80:
    case 90:
    case 100:
      return 2;
    case 75:
      return 32;
    case 86:
    case 89:
    case 120:
      return 64;
    default:
      return 0;  // nobody has looked it up: Runtime.EveryDeviceHasItsAttributes
  }
}

void fill_textures(cudaDeviceProp& p) {
  p.maxTexture1D = kTexture1D;
  p.maxTexture1DMipmap = kMipmap;
  p.maxTexture2D[0] = kTexture2D;
  p.maxTexture2D[1] = kTexture2DHeight;
  p.maxTexture2DMipmap[0] = p.maxTexture2DMipmap[1] = kMipmap;
  p.maxTexture2DLinear[0] = kTexture2D;
  p.maxTexture2DLinear[1] = 65000;
  p.maxTexture2DLinear[2] = 2097120;
  p.maxTexture2DGather[0] = p.maxTexture2DGather[1] = kTextureLayered;
  for (int i = 0; i < 3; i++) p.maxTexture3D[i] = kTexture3D;
  p.maxTexture3DAlt[0] = p.maxTexture3DAlt[1] = 8192;
  p.maxTexture3DAlt[2] = 32768;
  p.maxTextureCubemap = kTextureLayered;
  p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = kTextureLayered;
  p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = kLayers;
  p.maxTextureCubemapLayered[0] = kTextureLayered;
  p.maxTextureCubemapLayered[1] = 2046;
  p.maxSurface1D = kSurface1D;
  p.maxSurface2D[0] = kSurface2D;
  p.maxSurface2D[1] = kSurface2DHeight;
  for (int i = 0; i < 3; i++) p.maxSurface3D[i] = kSurface3D;
  p.maxSurface1DLayered[0] = p.maxSurface2DLayered[0] = p.maxSurface2DLayered[1] = kTextureLayered;
  p.maxSurface1DLayered[1] = p.maxSurface2DLayered[2] = kLayers;
  p.maxSurfaceCubemap = p.maxSurfaceCubemapLayered[0] = kTextureLayered;
  p.maxSurfaceCubemapLayered[1] = 2046;
}

void fill_limits(cudaDeviceProp& p, const DeviceDescription& d) {
  p.totalGlobalMem = d.memory_bytes;
  p.sharedMemPerBlock = d.shared_per_block;
  p.sharedMemPerBlockOptin = d.shared_per_block_optin;
  p.sharedMemPerMultiprocessor = d.shared_per_sm;
  p.reservedSharedMemPerBlock = d.shared_reserved_per_block;
  p.regsPerBlock = p.regsPerMultiprocessor = number(d.registers_per_sm);
  p.warpSize = kWarpSize;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = number(d.max_threads_per_block);
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.multiProcessorCount = number(d.sms);
  p.maxThreadsPerMultiProcessor = number(d.max_threads_per_sm);
  p.maxBlocksPerMultiProcessor = number(d.max_blocks_per_sm);
  p.memoryBusWidth = number(d.memory_bus_bits);
  p.l2CacheSize = number(d.l2_bytes);
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
}

/// What this simulator does is set; what it does not do stays 0, so that programs take their other path.
void fill_abilities(cudaDeviceProp& p, const DeviceDescription& d) {
  p.major = number(d.compute_major);
  p.minor = number(d.compute_minor);
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = number(d.copy_engines);
  p.unifiedAddressing = 1;
  p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.hostRegisterSupported = 1;
  p.managedMemory = p.concurrentManagedAccess = 1;
  p.cooperativeLaunch = 1;
  p.memoryPoolsSupported = 1;
  p.computePreemptionSupported = 1;
  p.hostNumaId = -1;
  p.deviceNumaId = -1;
}

void fill_identity(cudaDeviceProp& p, const DeviceDescription& d, int device) {
  std::strncpy(p.name, d.name.c_str(), sizeof p.name - 1);
  // Not a real GPU's: says what it is.
  std::memcpy(p.uuid.bytes, "roofline-sim-gp", sizeof p.uuid.bytes - 1);
  p.uuid.bytes[sizeof p.uuid.bytes - 1] = static_cast<char>('a' + device);
  p.pciBusID = device + 1;
}

cudaDeviceProp properties(const DeviceDescription& d, int device, bool sharing) {
  cudaDeviceProp p{};
  p.ipcEventSupported = sharing;
  p.memoryPoolSupportedHandleTypes = sharing ? cudaMemHandleTypePosixFileDescriptor : cudaMemHandleTypeNone;
  fill_identity(p, d, device);
  fill_limits(p, d);
  fill_abilities(p, d);
  fill_textures(p);
  return p;
}

/// Attributes that are fields of cudaDeviceProp under another name.
bool from_properties(const cudaDeviceProp& p, cudaDeviceAttr attribute, int& value) {
#define FIELD(name, field)                     \
  case cudaDevAttr##name:                      \
    value = number(static_cast<u64>(p.field)); \
    return true;
  switch (attribute) {
    FIELD(MaxThreadsPerBlock, maxThreadsPerBlock)
    FIELD(MaxBlockDimX, maxThreadsDim[0])
    FIELD(MaxBlockDimY, maxThreadsDim[1])
    FIELD(MaxBlockDimZ, maxThreadsDim[2])
    FIELD(MaxGridDimX, maxGridSize[0])
    FIELD(MaxGridDimY, maxGridSize[1])
    FIELD(MaxGridDimZ, maxGridSize[2])
    FIELD(MaxSharedMemoryPerBlock, sharedMemPerBlock)
    FIELD(TotalConstantMemory, totalConstMem)
    FIELD(WarpSize, warpSize)
    FIELD(MaxPitch, memPitch)
    FIELD(MaxRegistersPerBlock, regsPerBlock)
    FIELD(TextureAlignment, textureAlignment)
    FIELD(MultiProcessorCount, multiProcessorCount)
    FIELD(CanMapHostMemory, canMapHostMemory)
    FIELD(MaxTexture1DWidth, maxTexture1D)
    FIELD(MaxTexture2DWidth, maxTexture2D[0])
    FIELD(MaxTexture2DHeight, maxTexture2D[1])
    FIELD(MaxTexture3DWidth, maxTexture3D[0])
    FIELD(MaxTexture3DHeight, maxTexture3D[1])
    FIELD(MaxTexture3DDepth, maxTexture3D[2])
    FIELD(MaxTexture2DLayeredWidth, maxTexture2DLayered[0])
    FIELD(MaxTexture2DLayeredHeight, maxTexture2DLayered[1])
    FIELD(MaxTexture2DLayeredLayers, maxTexture2DLayered[2])
    FIELD(SurfaceAlignment, surfaceAlignment)
    FIELD(ConcurrentKernels, concurrentKernels)
    FIELD(EccEnabled, ECCEnabled)
    FIELD(PciBusId, pciBusID)
    FIELD(PciDeviceId, pciDeviceID)
    FIELD(PciDomainId, pciDomainID)
    FIELD(GlobalMemoryBusWidth, memoryBusWidth)
    FIELD(L2CacheSize, l2CacheSize)
    FIELD(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor)
    FIELD(AsyncEngineCount, asyncEngineCount)
    FIELD(UnifiedAddressing, unifiedAddressing)
    FIELD(MaxTexture1DLayeredWidth, maxTexture1DLayered[0])
    FIELD(MaxTexture1DLayeredLayers, maxTexture1DLayered[1])
    FIELD(MaxTexture2DGatherWidth, maxTexture2DGather[0])
    FIELD(MaxTexture2DGatherHeight, maxTexture2DGather[1])
    FIELD(MaxTexture3DWidthAlt, maxTexture3DAlt[0])
    FIELD(MaxTexture3DHeightAlt, maxTexture3DAlt[1])
    FIELD(MaxTexture3DDepthAlt, maxTexture3DAlt[2])
    FIELD(TexturePitchAlignment, texturePitchAlignment)
    FIELD(MaxTextureCubemapWidth, maxTextureCubemap)
    FIELD(MaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0])
    FIELD(MaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1])
    FIELD(MaxSurface1DWidth, maxSurface1D)
    FIELD(MaxSurface2DWidth, maxSurface2D[0])
    FIELD(MaxSurface2DHeight, maxSurface2D[1])
    FIELD(MaxSurface3DWidth, maxSurface3D[0])
    FIELD(MaxSurface3DHeight, maxSurface3D[1])
    FIELD(MaxSurface3DDepth, maxSurface3D[2])
    FIELD(MaxSurface1DLayeredWidth, maxSurface1DLayered[0])
    FIELD(MaxSurface1DLayeredLayers, maxSurface1DLayered[1])
    FIELD(MaxSurface2DLayeredWidth, maxSurface2DLayered[0])
    FIELD(MaxSurface2DLayeredHeight, maxSurface2DLayered[1])
    FIELD(MaxSurface2DLayeredLayers, maxSurface2DLayered[2])
    FIELD(MaxSurfaceCubemapWidth, maxSurfaceCubemap)
    FIELD(MaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0])
    FIELD(MaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1])
    FIELD(MaxTexture2DLinearWidth, maxTexture2DLinear[0])
    FIELD(MaxTexture2DLinearHeight, maxTexture2DLinear[1])
    FIELD(MaxTexture2DLinearPitch, maxTexture2DLinear[2])
    FIELD(MaxTexture2DMipmappedWidth, maxTexture2DMipmap[0])
    FIELD(MaxTexture2DMipmappedHeight, maxTexture2DMipmap[1])
    FIELD(ComputeCapabilityMajor, major)
    FIELD(ComputeCapabilityMinor, minor)
    FIELD(MaxTexture1DMipmappedWidth, maxTexture1DMipmap)
    FIELD(StreamPrioritiesSupported, streamPrioritiesSupported)
    FIELD(GlobalL1CacheSupported, globalL1CacheSupported)
    FIELD(LocalL1CacheSupported, localL1CacheSupported)
    FIELD(MaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor)
    FIELD(MaxRegistersPerMultiprocessor, regsPerMultiprocessor)
    FIELD(ManagedMemory, managedMemory)
    FIELD(ConcurrentManagedAccess, concurrentManagedAccess)
    FIELD(ComputePreemptionSupported, computePreemptionSupported)
    FIELD(CooperativeLaunch, cooperativeLaunch)
    FIELD(MaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin)
    FIELD(MaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor)
    FIELD(ReservedSharedMemoryPerBlock, reservedSharedMemPerBlock)
    FIELD(HostRegisterSupported, hostRegisterSupported)
    FIELD(CanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem)
    FIELD(MemoryPoolsSupported, memoryPoolsSupported)
    FIELD(MemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes)
    FIELD(IpcEventSupport, ipcEventSupported)
    default:
      return false;
  }
#undef FIELD
}

}  // namespace

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* p, int device) {
  return api([&](Runtime& r) {
    if (!p) return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    *p = properties(r.device(), device, r.connection().sharing());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api([&](Runtime& r) {
    if (!value || attribute < cudaDevAttrMaxThreadsPerBlock || attribute >= cudaDevAttrMax)
      return cudaErrorInvalidValue;
    if (!r.is_device(device)) return cudaErrorInvalidDevice;
    const DeviceDescription& d = r.device();
    if (from_properties(properties(d, device, r.connection().sharing()), attribute, *value))
      return cudaSuccess;
    switch (attribute) {
      case cudaDevAttrClockRate:
        *value = kilohertz(d.clock_mhz);
        break;
      case cudaDevAttrMemoryClockRate:
        *value = kilohertz(d.memory_clock_mhz);
        break;
      case cudaDevAttrGpuOverlap:
        *value = d.copy_engines > 0;
        break;
      case cudaDevAttrComputeMode:
        *value = cudaComputeModeDefault;
        break;
      case cudaDevAttrMaxTexture1DLinearWidth:
        *value = kTexture1DLinear;
        break;
      case cudaDevAttrSingleToDoublePrecisionPerfRatio:
        *value = precision_ratio(d);
        break;
      case cudaDevAttrMemSyncDomainCount:
        *value = 1;
        break;
      case cudaDevAttrNumaId:
      case cudaDevAttrHostNumaId:
        *value = -1;
        break;
      default:
        *value = 0;  // an ability that this simulator does not have
    }
    return cudaSuccess;
  });
}
