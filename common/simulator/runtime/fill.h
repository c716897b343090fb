// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

/// `height` rows of `width` equal elements of 1, 2 or 4 bytes.
struct FillRequest {
  void* to;
  size_t pitch;  ///< bytes from row to row
  unsigned value;
  unsigned element_bytes = 1;
  size_t width, height = 1;
  cudaStream_t stream = nullptr;
  bool async = false;
};

/// All kinds of cudaMemset end here: sent now, or made a node when the stream is being captured. Caller holds
/// the lock (is inside api()).
cudaError_t fill(Runtime& runtime, const FillRequest& request);

}  // namespace roofline::sim::runtime
