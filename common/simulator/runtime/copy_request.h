// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "simulator/runtime/cuda.h"

namespace roofline::sim::runtime {

/// A copy of `depth` slices of `height` rows of `width` bytes; a plain copy has height and depth 1.
struct CopyRequest {
  void* to;
  size_t to_pitch;
  const void* from;
  size_t from_pitch;
  size_t width, height = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
  cudaStream_t stream = nullptr;
  bool async = false;
  size_t depth = 1, to_slice = 0, from_slice = 0;  ///< slices are this many bytes apart
};

}  // namespace roofline::sim::runtime
