// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/call/device.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "grader/base/error.h"
#include "grader/call/gpu_probe.h"
#include "simulator/program/address_windows.h"
#include "simulator/timing/device_description.h"
#include "simulator/timing/model_version.h"

namespace roofline::grader {
namespace {

/// FP32 lanes of an SM (CUDA C++ Programming Guide, throughput of native arithmetic instructions).
double fp32_lanes(int capability) { return capability == 75 || capability == 80 ? 64 : 128; }

/// Operations a clock and SM of Tensor Cores, halves with float sums (data sheets; GeForce cards have half).
double tensor_flops_per_clock(int capability) {
  switch (capability) {
    case 80:
      return 2048;
    case 90:
      return 4096;
    case 100:
    case 103:
      return 8192;
    default:
      return capability >= 75 ? 1024 : 0;
  }
}

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

DeviceChoice parse_device(const std::string& text) {
  DeviceChoice choice;
  if (text == "sim" || text.empty()) return choice;
  if (text.starts_with("sim:") && text.size() > 4) {
    choice.id = text.substr(4);
    return choice;
  }
  if (text.starts_with("gpu:") && text.size() > 4 &&
      text.find_first_not_of("0123456789", 4) == std::string::npos && text.size() < 8) {
    choice.simulated = false;
    choice.ordinal = std::stoi(text.substr(4));
    return choice;
  }
  if (text != "auto" && text != "gpu") {
    throw std::invalid_argument("unknown device '" + text + "': auto, gpu, sim or sim:NAME; a simulated " +
                                text + " is sim:" + text);
  }
  choice.simulated = gpu_count() == 0;
  if (choice.simulated && text == "gpu")
    throw std::invalid_argument("no GPU was found; --device sim simulates one");
  return choice;
}

std::optional<DeviceChoice> simulated_like(int capability, const std::string& name,
                                           const std::filesystem::path& simulator_directory) {
  std::optional<DeviceChoice> found;
  for (const std::string& id : sim::known_devices(simulator_directory / "devices")) {
    const DeviceChoice device{.simulated = true, .id = id};
    const DeviceFacts facts = simulated_facts(device, simulator_directory);
    if (facts.capability == capability && (!found || facts.name == name)) found = device;
  }
  return found;
}

int gpu_count() { return static_cast<int>(probe_gpus().gpus.size()); }

DeviceFacts simulated_facts(const DeviceChoice& choice, const std::filesystem::path& simulator_directory) {
  sim::DeviceDescription device;
  try {
    device = sim::load_device(simulator_directory / "devices", choice.id);
  } catch (const std::exception& error) {
    throw InfrastructureError(error.what());
  }
  DeviceFacts facts;
  facts.simulated = true;
  facts.id = device.id;
  facts.name = device.name;
  facts.capability = static_cast<int>(device.compute_major * 10 + device.compute_minor);
  facts.sms = device.sms;
  facts.l2_bytes = device.l2_bytes;
  facts.memory_bytes = device.memory_bytes;
  facts.pin_gbps = device.dram_gbps;
  facts.clock_mhz = device.clock_mhz;
  facts.fp32_tflops = 2 * 32 * device.fma_rate * device.sms * device.clock_mhz * 1e-6;
  facts.tensor_tflops = device.tensor_f16_f32_flops_per_clock * device.sms * device.tensor_clock_mhz * 1e-6;
  facts.tensor_f8_tflops = device.tensor_f8_flops_per_clock * device.sms * device.tensor_clock_mhz * 1e-6;
  facts.gpus = sim::kMaxDevices;
  facts.peers = device.peer_access != 0;
  facts.driver = "simulated";
  facts.model = sim::model_version(device);
  return facts;
}

DeviceFacts facts_from(const worker::Facts& seen) {
  DeviceFacts facts;
  facts.simulated = false;
  facts.name.assign(seen.name, strnlen(seen.name, sizeof seen.name));
  facts.capability = seen.major * 10 + seen.minor;
  facts.sms = static_cast<unsigned>(seen.sms);
  facts.l2_bytes = static_cast<std::uint64_t>(seen.l2_bytes);
  facts.memory_bytes = seen.memory_bytes;
  facts.pin_gbps = 2.0 * seen.memory_clock_khz * 1e3 * seen.bus_bits / 8 * 1e-9;
  facts.clock_mhz = seen.clock_khz * 1e-3;
  facts.fp32_tflops = 2 * fp32_lanes(facts.capability) * facts.sms * facts.clock_mhz * 1e-6;
  facts.tensor_tflops = tensor_flops_per_clock(facts.capability) * facts.sms * facts.clock_mhz * 1e-6;
  // Twice the rate of halves from the first GPUs that have them.
  facts.tensor_f8_tflops = facts.capability < 89 ? 0 : 2 * facts.tensor_tflops;
  facts.gpus = static_cast<unsigned>(std::max(seen.gpus, 1));
  facts.peers = facts.gpus == 1 || seen.peers != 0;
  facts.driver = version(seen.driver);
  facts.toolkit = version(seen.runtime);
  return facts;
}

}  // namespace roofline::grader
