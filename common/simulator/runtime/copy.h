// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

/// A copy of `height` rows of `width` bytes; a plain copy has height 1.
struct CopyRequest {
  void* to;
  size_t to_pitch;
  const void* from;
  size_t from_pitch;
  size_t width, height = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  cudaStream_t stream = nullptr;
  bool async = false;
  bool more = false;  ///< another part of the same copy follows
};

/// Caller holds the lock (is inside api()).
cudaError_t copy(Runtime& runtime, const CopyRequest& request);

/// Where an address lies.
bool is_device_address(const void* pointer);
bool is_window_address(const void* pointer);

}  // namespace roofline::sim::runtime
