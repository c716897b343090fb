// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "simulator/program/launch.h"

namespace roofline::sim {

/// Work that a kernel asked for itself (CUDA dynamic parallelism): plain data that the grid leaves behind.
struct DeviceWork {
  enum class Kind : u8 { kKernel, kCopy, kFill };
  Kind kind = Kind::kKernel;
  Launch launch;  ///< kKernel
  /// Of a copy or a fill: slices of rows, at these distances.
  struct Side {
    u64 address = 0, pitch = 0, slice = 0;
  };
  Side to, from;  ///< a fill has no `from`
  u64 bytes = 0;  ///< of a row
  u64 rows = 1;   ///< of a slice
  u64 slices = 1;
  u8 value = 0;          ///< kFill
  bool is_tail = false;  ///< comes after everything else that its grid asked for, and before the next tail
  std::vector<size_t> after;  ///< what it comes after otherwise, by place in the grid's list, ascending
};

}  // namespace roofline::sim
