// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/runtime/launch.h"

namespace roofline::sim::runtime {

/// Priorities as on every device since compute capability 3.5: lower is more urgent.
inline constexpr int kLeastPriority = 0, kGreatestPriority = -5;
int clamped_priority(int priority);
/// That of a stream's kernels and graphs.
int priority_of(Runtime& runtime, cudaStream_t stream);

/// Whether the value of an attribute of streams or launches is one that the real library takes.
bool is_valid_attribute(Runtime& runtime, cudaLaunchAttributeID id, const cudaLaunchAttributeValue& value);

/// What launch attributes ask for beyond hints. An error for an attribute that launches do not have.
struct LaunchWishes {
  bool cooperative = false;
  dim3 cluster{0, 0, 0};              ///< 0: none asked for
  cudaEvent_t after_start = nullptr;  ///< to be recorded when all blocks have started
  cudaEvent_t after_end =
      nullptr;  ///< to be recorded when all blocks have triggered, at the latest at their end
  std::optional<int> priority;
};
cudaError_t read_attributes(Runtime& runtime, const cudaLaunchConfig_t& config, LaunchWishes& wishes);

}  // namespace roofline::sim::runtime
