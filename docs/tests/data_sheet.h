// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "docs/tests/text_files.h"
#include "simulator/timing/device_description.h"

namespace roofline::docs {

/// What a data sheet promises, as the device files have it: GB/s and TFLOP/s.
struct Sheet {
  std::string id, name;
  double dram = 0, copy = 0, fp32 = 0, tensor = 0;
};

inline Sheet sheet(const std::string& id) {
  const sim::DeviceDescription d = sim::load_device(kRoot / "common/simulator/devices", id);
  return {.id = id,
          .name = d.name.starts_with("NVIDIA ") ? d.name.substr(7) : d.name,
          .dram = d.dram_gbps,
          .copy = d.dram_gbps * d.dram_copy_efficiency,
          .fp32 = 2 * 32 * d.fma_rate * d.sms * d.clock_mhz * 1e-6,
          .tensor = d.tensor_f16_f32_flops_per_clock * d.sms * d.tensor_clock_mhz * 1e-6};
}

}  // namespace roofline::docs
