// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <string>
#include <vector>

#include "simulator/program/counters.h"
#include "simulator/timing/device_description.h"

/// Bounds that hold whatever was sampled: the counters of all blocks say what the busiest warp, block and SM
/// must do, and each of these takes its time.
namespace roofline::sim {

/// Collects the work of blocks in any order; what it says at the end does not depend on it.
class BusiestTally {
 public:
  void clear();
  /// A block that has ended: of its warps together, and the most that one of them did.
  void add_block(const ResourceUse& block, const ResourceUse& busiest_warp);
  void add(const BusiestTally& other);
  /// With the blocks on so many SMs.
  BusiestUse busiest(u32 sms) const;

 private:
  /// How many blocks did about so much: sixteen steps to a doubling.
  struct Histogram {
    std::vector<u64> blocks;
    void add(u64 work, u64 times);
    void add(const Histogram& other);
    u64 on_busiest_of(u32 sms) const;
  };
  void count_latest();

  ResourceUse warp_, block_;
  std::array<Histogram, ResourceUse::kCount> histograms_;
  ResourceUse latest_;  ///< of the latest block: most are like the one before
  u64 times_ = 0;
};

/// Seconds below which no execution of the kernel can be, and whose work they are: "busiest warp", "busiest
/// block" or "busiest SM".
struct LeastTime {
  std::string whose;
  double seconds = 0;
};
LeastTime least_time(const DeviceDescription& device, const KernelCounters& counters,
                     const KernelResources& resources, Dim3 block);

}  // namespace roofline::sim
