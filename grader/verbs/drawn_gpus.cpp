// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/verbs/drawn_gpus.h"

#include "simulator/timing/device_description.h"

namespace roofline::grader {

std::vector<DrawnGpu> drawn_gpus(const Paths& paths) {
  std::vector<DrawnGpu> gpus;
  // The other device files repeat their architectures.
  for (const char* id : {"a100-sxm4-40gb", "h200", "l4", "rtx4090", "t4"}) {
    const sim::DeviceDescription d = sim::load_device(paths.simulator() / "devices", id);
    const double clocks = d.sms * d.clock_mhz * 1e-6;
    gpus.push_back({.name = d.name,
                    .dram_gbps = d.dram_gbps,
                    .fp32_tflops = 2 * 32 * d.fma_rate * clocks,
                    .tensor_tflops = d.tensor_f16_f32_flops_per_clock * d.sms * d.tensor_clock_mhz * 1e-6,
                    .link_gbps = d.pinned_gbps,
                    .sms = static_cast<unsigned>(d.sms)});
  }
  return gpus;
}

}  // namespace roofline::grader
