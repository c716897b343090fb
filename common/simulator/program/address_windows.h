// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/types.h"

/// Where the memories of a simulated device lie among the 64-bit addresses.
namespace roofline::sim {

/// Virtual addresses of device memory start here (cudaMalloc, module variables).
inline constexpr u64 kDeviceWindow = 0x0000'2000'0000'0000;
/// Several devices in one process stand this far apart, in the order they were made.
inline constexpr u64 kDeviceStride = u64{1} << 40;
inline constexpr u32 kMaxDevices = 16;
/// In whose window a device address lies. Whose memory it shows, program/memory_homes.h knows.
constexpr u32 window_of(u64 address) { return static_cast<u32>((address - kDeviceWindow) / kDeviceStride); }
/// Pinned, mapped and managed host memory: the same address in both processes.
inline constexpr u64 kHostWindow = 0x0000'3000'0000'0000;
/// Generic addresses of shared and local memory; never mapped anywhere.
inline constexpr u64 kSharedWindow = 0x0001'0000'0000'0000;
/// Shared memory of a block that belongs to the system and not to the program: %reserved_smem_offset_*. It
/// lies far behind what a program can have (on hardware before it), so that no access strays into it unseen.
inline constexpr u32 kReservedShared = u32{1} << 20;
inline constexpr u32 kReservedSharedBytes = 1024;
inline constexpr u64 kLocalWindow = 0x0002'0000'0000'0000;
/// Function pointers are addresses in this window; nothing is mapped there.
inline constexpr u64 kFunctionWindow = 0x0005'0000'0000'0000;

}  // namespace roofline::sim
