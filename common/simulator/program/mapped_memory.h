// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

#include "simulator/program/address_windows.h"
#include "simulator/types.h"

namespace roofline::sim {

/// What kernels may do with mapped memory.
enum class MappedAccess : u32 { kNone, kRead, kReadWrite };

/// Memory that was made without an address, where it is mapped (device/virtual_memory.h).
struct MappedMemory {
  u64 begin = 0, bytes = 0;
  u64 piece = 0;                                   ///< its number
  u32 gpu = 0;                                     ///< which has it
  std::array<MappedAccess, kMaxDevices> access{};  ///< of each GPU
};

/// Reservations and pieces come in multiples of this.
inline constexpr u64 kMappingGranularity = u64{2} << 20;

}  // namespace roofline::sim
