// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/types.h"

/// A pointer of the program and the address that the machine knows it by are the same number.
namespace roofline::sim::runtime {

inline constexpr u64 kPage = 4096;  ///< bytes, of the host

inline u64 address_of(const void* pointer) { return reinterpret_cast<u64>(pointer); }
inline void* pointer(u64 address) { return reinterpret_cast<void*>(address); }

}  // namespace roofline::sim::runtime
