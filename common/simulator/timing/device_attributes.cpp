// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/device_attributes.h"

#include <algorithm>

namespace roofline::sim {
namespace {

s32 at_most_int(u64 value) { return static_cast<s32>(std::min<u64>(value, 0x7fffffff)); }
s32 kilohertz(double mhz) { return static_cast<s32>(mhz * 1000); }

/// Single to double precision throughput; by compute capability (programming guide, arithmetic throughput).
s32 precision_ratio(const DeviceDescription& d) {
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

using Attributes = std::array<s32, kDeviceAttributes>;

void add_limits(Attributes& a, const DeviceDescription& d) {
  a[1] = at_most_int(d.max_threads_per_block);        // MaxThreadsPerBlock
  a[2] = a[3] = a[1];                                 // MaxBlockDimX, Y
  a[4] = 64;                                          // MaxBlockDimZ
  a[5] = 0x7fffffff;                                  // MaxGridDimX
  a[6] = a[7] = 65535;                                // MaxGridDimY, Z
  a[8] = at_most_int(d.shared_per_block);             // MaxSharedMemoryPerBlock
  a[9] = 65536;                                       // TotalConstantMemory
  a[10] = kWarpSize;                                  // WarpSize
  a[11] = 0x7fffffff;                                 // MaxPitch
  a[12] = a[82] = at_most_int(d.registers_per_sm);    // MaxRegistersPerBlock, PerMultiprocessor
  a[13] = kilohertz(d.clock_mhz);                     // ClockRate
  a[16] = at_most_int(d.sms);                         // MultiProcessorCount
  a[36] = kilohertz(d.memory_clock_mhz);              // MemoryClockRate
  a[37] = at_most_int(d.memory_bus_bits);             // GlobalMemoryBusWidth
  a[38] = at_most_int(d.l2_bytes);                    // L2CacheSize
  a[39] = at_most_int(d.max_threads_per_sm);          // MaxThreadsPerMultiProcessor
  a[75] = at_most_int(d.compute_major);               // ComputeCapabilityMajor
  a[76] = at_most_int(d.compute_minor);               // ComputeCapabilityMinor
  a[81] = at_most_int(d.shared_per_sm);               // MaxSharedMemoryPerMultiprocessor
  a[87] = precision_ratio(d);                         // SingleToDoublePrecisionPerfRatio
  a[97] = at_most_int(d.shared_per_block_optin);      // MaxSharedMemoryPerBlockOptin
  a[106] = at_most_int(d.max_blocks_per_sm);          // MaxBlocksPerMultiprocessor
  a[111] = at_most_int(d.shared_reserved_per_block);  // ReservedSharedMemoryPerBlock
}

/// CUDA C++ Programming Guide, compute capabilities 7.5 to 12.0: the same for all.
void add_textures(Attributes& a) {
  constexpr s32 kLayered = 32768, kLayers = 2048, kCubes = 2046, kVolume = 16384;
  a[14] = a[30] = 512;               // TextureAlignment, SurfaceAlignment
  a[51] = 32;                        // TexturePitchAlignment
  a[21] = a[22] = 131072;            // MaxTexture1DWidth, 2DWidth
  a[23] = 65536;                     // MaxTexture2DHeight
  a[24] = a[25] = a[26] = kVolume;   // MaxTexture3DWidth, Height, Depth
  a[27] = a[28] = kLayered;          // MaxTexture2DLayeredWidth, Height
  a[29] = kLayers;                   // MaxTexture2DLayeredLayers
  a[42] = kLayered;                  // MaxTexture1DLayeredWidth
  a[43] = kLayers;                   // MaxTexture1DLayeredLayers
  a[45] = a[46] = 32768;             // MaxTexture2DGatherWidth, Height
  a[47] = a[48] = 8192;              // MaxTexture3DWidthAlt, HeightAlt
  a[49] = 32768;                     // MaxTexture3DDepthAlt
  a[52] = a[53] = kLayered;          // MaxTextureCubemapWidth, LayeredWidth
  a[54] = kCubes;                    // MaxTextureCubemapLayeredLayers
  a[55] = 32768;                     // MaxSurface1DWidth
  a[56] = 131072;                    // MaxSurface2DWidth
  a[57] = 65536;                     // MaxSurface2DHeight
  a[58] = a[59] = a[60] = kVolume;   // MaxSurface3DWidth, Height, Depth
  a[61] = a[63] = a[64] = kLayered;  // MaxSurface1DLayeredWidth, 2DLayeredWidth, Height
  a[62] = a[65] = kLayers;           // MaxSurface1DLayeredLayers, 2DLayeredLayers
  a[66] = a[67] = kLayered;          // MaxSurfaceCubemapWidth, LayeredWidth
  a[68] = kCubes;                    // MaxSurfaceCubemapLayeredLayers
  a[69] = 1 << 28;                   // MaxTexture1DLinearWidth
  a[70] = 131072;                    // MaxTexture2DLinearWidth
  a[71] = 65000;                     // MaxTexture2DLinearHeight
  a[72] = 2097120;                   // MaxTexture2DLinearPitch
  a[73] = a[74] = a[77] = 32768;     // MaxTexture2DMipmappedWidth, Height, 1DMipmappedWidth
}

void add_abilities(Attributes& a, const DeviceDescription& d) {
  a[15] = d.copy_engines > 0;           // GpuOverlap
  a[40] = at_most_int(d.copy_engines);  // AsyncEngineCount
  a[126] = 1;                           // MemSyncDomainCount
  a[19] = 1;                            // CanMapHostMemory
  a[31] = 1;                            // ConcurrentKernels
  a[41] = 1;                            // UnifiedAddressing
  a[78] = 1;                            // StreamPrioritiesSupported
  a[79] = a[80] = 1;                    // GlobalL1CacheSupported, LocalL1CacheSupported
  a[83] = a[89] = 1;                    // ManagedMemory, ConcurrentManagedAccess
  a[90] = 1;                            // ComputePreemptionSupported
  a[95] = 1;                            // CooperativeLaunch
  a[99] = 1;                            // HostRegisterSupported
  a[115] = 1;                           // MemoryPoolsSupported
  a[120] = d.compute_major >= 9;        // ClusterLaunch
  // Lines of L2 set aside: 37.5 of an H200's 60 MiB, 60 of an RTX 5090's 96, nothing before capability 8.0.
  if (d.compute_major >= 8) {
    a[108] = at_most_int(d.l2_bytes / 16 * 10);  // MaxPersistingL2CacheSize
    a[109] = 128 << 20;                          // MaxAccessPolicyWindowSize
  }
}

}  // namespace

u32 most_threads(const DeviceDescription& d, u32 registers) {
  if (registers == 0) return d.max_threads_per_block;
  constexpr u32 kSubPartitions = 4;
  const u32 unit = std::max(d.register_allocation_unit, 1u);
  const u32 per_warp = (registers * kWarpSize + unit - 1) / unit * unit;
  const u32 warps = d.registers_per_sm / kSubPartitions / per_warp * kSubPartitions;
  return std::min(d.max_threads_per_block, std::max(warps, 1u) * kWarpSize);
}

Attributes attributes_of(const DeviceDescription& d, u32 gpu) {
  Attributes a{};
  add_limits(a, d);
  add_textures(a);
  add_abilities(a, d);
  a[33] = static_cast<s32>(gpu) + 1;  // PciBusId
  a[131] = a[134] = -1;               // NumaId, HostNumaId: the node is not known
  return a;
}

}  // namespace roofline::sim
