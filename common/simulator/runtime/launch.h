// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>

#include "simulator/runtime/runtime.h"

namespace roofline::sim::runtime {

inline Dim3 extent(dim3 d) { return {d.x, d.y, d.z}; }

struct LaunchRequest {
  const void* function;  ///< host stub or kernel handle
  dim3 grid, block;
  void** arguments;  ///< one pointer a parameter
  size_t dynamic_shared_bytes;
  cudaStream_t stream;
  bool cooperative;
  dim3 cluster{0, 0, 0};             ///< blocks of a cluster; 0: none asked for
  cudaEvent_t recorded[2] = {};      ///< events to be recorded behind the kernel
  std::optional<int> priority = {};  ///< none asked for: the stream's
};

/// All kinds of kernel launch end here. Configuration errors, and instructions that the kernel's PTX has and
/// the machine lacks, are returned now; what the kernel does wrong while it runs is reported by a later call.
cudaError_t launch(const LaunchRequest& request);

/// What the launch would be as a node of a graph; the errors are those of launching it.
cudaError_t make_kernel_call(Runtime& runtime, const LaunchRequest& request, KernelCall& call);

/// Blocks of this size that fit on an SM; 0 when none does.
cudaError_t blocks_per_sm(Runtime& runtime, Kernel& kernel, dim3 block, u64 dynamic_shared_bytes,
                          u32& blocks);

/// Dynamic shared memory that a launch of this kernel may ask for at present.
u64 dynamic_shared_limit(const Kernel& kernel, const DeviceDescription& device);

}  // namespace roofline::sim::runtime
