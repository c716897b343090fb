// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "simulator/timing/cache.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim {

/// L2, and DRAM behind it: each serves what blocks read and write one after the other, at its best rate.
class MemoryQueues {
 public:
  MemoryQueues(const DeviceDescription& device, const L2Cache::Traffic& traffic)
      : device_(device), traffic_(traffic) {}

  /// What came to L2 since the last time came at a cycle of the kernel. How long who reads waits for it,
  /// beyond the latency.
  double wait(double cycle) {
    const u64 read = traffic_.read_sectors - read_sectors_;
    const u64 written = traffic_.write_sectors - write_sectors_;
    const u64 dram_read = traffic_.dram_read_bytes - dram_read_bytes_;
    const u64 dram_written = traffic_.dram_write_bytes - dram_write_bytes_;
    read_sectors_ += read;
    write_sectors_ += written;
    dram_read_bytes_ += dram_read;
    dram_write_bytes_ += dram_written;
    const double l2 = std::max(number(read), number(written) * device_.l2_write_cost) *
                      static_cast<double>(kSectorBytes) / device_.l2_gbps;
    const double dram = (number(dram_read) / device_.dram_read_efficiency +
                         number(dram_written) / device_.dram_write_efficiency) /
                        device_.dram_gbps;
    const double cycles_a_ns = device_.clock_mhz * 1e-3;
    l2_free_ = std::max(l2_free_, cycle) + l2 * cycles_a_ns;
    dram_free_ = std::max(dram_free_, cycle) + dram * cycles_a_ns;
    return std::max(read != 0 ? l2_free_ - cycle : 0, dram_read != 0 ? dram_free_ - cycle : 0);
  }

 private:
  const DeviceDescription& device_;
  const L2Cache::Traffic& traffic_;
  double l2_free_ = 0, dram_free_ = 0;  ///< cycles
  u64 read_sectors_ = 0, write_sectors_ = 0, dram_read_bytes_ = 0, dram_write_bytes_ = 0;
};

}  // namespace roofline::sim
