// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "simulator/timing/device_description.h"

namespace roofline::sim {

/// One more than the last number of a cudaDeviceAttr of CUDA 13.
inline constexpr u32 kDeviceAttributes = 148;

/// Pools for other processes and events for them: whether there are any depends on where a program runs.
inline constexpr u32 kPoolHandleTypes = 119, kIpcEvents = 125;

/// What cudaDeviceGetAttribute says of each number of cudaDeviceAttr, on the host and in kernels. What
/// a simulated GPU cannot do is 0, so that programs take their other path.
/// @param gpu the device's number among those of the program.
std::array<s32, kDeviceAttributes> attributes_of(const DeviceDescription& d, u32 gpu);

/// Threads of the largest block whose warps an SM can hold at once, with so many registers a thread; never
/// fewer than a warp. Registers are given to warps in units, and a warp stays in its sub-partition (as in
/// timing/occupancy.cpp). 0 registers: not known.
u32 most_threads(const DeviceDescription& d, u32 registers);

}  // namespace roofline::sim
