// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/device_facts.h"

#include "grader/call/gpu_probe.h"
#include "grader/lab/generate.h"
#include "grader/lab/roof.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {

DeviceFacts device_facts(const DeviceChoice& device, const GradeOptions& options) {
  if (device.simulated) return simulated_facts(device, options.simulator_directory);
  const Roof& any = roof("copy");
  if (!options.roof_worker) throw InfrastructureError("no roof worker: the GPU cannot be asked");
  Rig rig(rig_options(device, options, 60), options.roof_worker(any), any.program, 4096, 4096);
  return facts_from(rig.gpu().facts());
}

DeviceChoice simulated_stand_in(const DeviceFacts& gpu, const GradeOptions& options) {
  return simulated_like(gpu.capability, gpu.name, options.simulator_directory).value_or(DeviceChoice{});
}

std::string simulated_with(int capability, const std::filesystem::path& simulator_directory) {
  if (simulated_facts(DeviceChoice{}, simulator_directory).capability >= capability) return "sim";
  std::string found;
  unsigned sms = 0;
  for (const std::string& id : sim::known_devices(simulator_directory / "devices")) {
    const DeviceFacts facts = simulated_facts({.simulated = true, .id = id}, simulator_directory);
    if (facts.capability != capability || facts.sms <= sms) continue;
    sms = facts.sms;
    found = ":" + id;
  }
  return "sim" + found;
}

RigOptions rig_options(const DeviceChoice& device, const GradeOptions& options, double deadline_seconds) {
  RigOptions rig;
  rig.device = device;
  rig.simulator_directory = options.simulator_directory;
  rig.cuda_library_directory = options.cuda_library_directory;
  if (!device.simulated) rig.driver_directory = probe_gpus().folder;
  rig.machine.threads = options.threads;
  rig.sampling_seed = derive(options.seed, Purpose::kSamples, 0);
  rig.sandbox = options.sandbox;
  rig.deadline_seconds = deadline_seconds;
  return rig;
}

}  // namespace roofline::grader
