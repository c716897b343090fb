// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "grader/judge/device_facts.h"

#include "grader/call/gpu_probe.h"
#include "grader/lab/generate.h"
#include "grader/lab/roof.h"
#include "simulator/timing/device_description.h"

namespace roofline::grader {

DeviceFacts device_facts(const DeviceChoice& device, const GradeOptions& options, unsigned gpus) {
  if (device.simulated) return simulated_facts(device, options.simulator_directory);
  const Roof& any = roof("copy");
  if (!options.roof_worker) throw InfrastructureError("no roof worker: the GPU cannot be asked");
  RigOptions how = rig_options(device, options, 60);
  how.gpus = gpus;
  Rig rig(how, options.roof_worker(any), any.program, 4096, 4096);
  return facts_from(rig.gpu().facts());
}

std::string too_few_gpus(unsigned gpus, const DeviceChoice& device, const DeviceFacts& facts,
                         const GradeOptions& options) {
  if (gpus == 1) return {};
  const std::string offer = "; --device sim simulates as many as it needs";
  const auto found = facts.simulated ? std::size_t{facts.gpus} : probe_gpus().gpus.size();
  if (found < gpus)
    return "needs " + std::to_string(gpus) + " GPUs, and there " +
           (found <= 1 ? "is one" : "are " + std::to_string(found)) + offer;
  if (!(facts.simulated ? facts.peers : device_facts(device, options, gpus).peers))
    return "needs GPUs whose kernels reach each other's memory, and these do not" + offer;
  return {};
}

DeviceChoice simulated_stand_in(const DeviceFacts& gpu, const GradeOptions& options) {
  const auto like = simulated_like(gpu.capability, gpu.name, options.simulator_directory);
  if (!like) return {};
  // GPUs whose kernels reach each other's memory need a stand-in that can do that.
  const bool lacks_peers = gpu.peers && !simulated_facts(*like, options.simulator_directory).peers;
  return lacks_peers ? DeviceChoice{} : *like;
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

std::string device_for(const Part& part, const std::string& device,
                       const std::filesystem::path& simulator_directory) {
  if (device != "auto" || part.minimum_capability == 0 || !parse_device(device).simulated) return device;
  const std::string found = simulated_with(part.minimum_capability, simulator_directory);
  return found == "sim" ? device : found;
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
