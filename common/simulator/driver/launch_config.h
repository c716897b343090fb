// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/driver/frame.h"

namespace roofline::sim::driver {

static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute));

/// The same launch in the runtime's terms.
inline cudaLaunchConfig_t runtime_config(const CUlaunchConfig& c) {
  cudaLaunchConfig_t same{};
  same.gridDim = {c.gridDimX, c.gridDimY, c.gridDimZ};
  same.blockDim = {c.blockDimX, c.blockDimY, c.blockDimZ};
  same.dynamicSmemBytes = c.sharedMemBytes;
  same.stream = given(c.hStream);
  same.attrs = reinterpret_cast<cudaLaunchAttribute*>(c.attrs);
  same.numAttrs = c.numAttrs;
  return same;
}

/// A kernel's parameters as the caller gives them: one pointer for each, or one packed buffer (`extra`).
class Parameters {
 public:
  /// The error when they do not fit the kernel. Called without the runtime's lock.
  CUresult take(CUfunction function, void** pointers, void** extra);
  void** pointers() { return given_ ? given_ : unpacked_.data(); }

 private:
  void** given_ = nullptr;
  std::vector<std::byte> packed_;
  std::vector<void*> unpacked_;
};

}  // namespace roofline::sim::driver
