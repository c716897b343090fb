// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "simulator/machine/counters.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

/// Blocks of this shape that fit on one SM at a time, and what limits them.
Occupancy occupancy(const DeviceDescription& device, const KernelResources& resources, Dim3 block,
                    u64 grid_blocks);

/// Modelled execution time of one kernel, excluding launch overheads (see timeline.h).
struct KernelTime {
  double seconds = 0;
  struct Bound {
    std::string resource;  ///< "DRAM", "L2", "L1", "shared", "issue", "FMA", "ALU", "SFU", "FP64", "tensor",
                           ///< "latency", "atomics"
    double seconds = 0;
  };
  std::vector<Bound> bounds;  ///< every resource, slowest first
  const std::string& limiter() const { return bounds.front().resource; }
};

/// seconds = p-norm over throughput resources, not below the latency bound; each formula in docs/simulator.
KernelTime model_kernel(const DeviceDescription& device, const KernelCounters& counters,
                        const KernelResources& resources, Dim3 grid, Dim3 block);

}  // namespace roofline::sim
