// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/types.h"

namespace roofline::sim {

/// Where other processes find an allocation or a piece of a device's memory.
struct SharedBytes {
  u64 id = 0;  ///< the allocation's address, or the piece's number
  int file = -1;
  u64 offset = 0, bytes = 0;  ///< in that file
};

}  // namespace roofline::sim
