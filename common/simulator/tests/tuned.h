// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What the model says of the published tuned kernels of tuned.cases: our programs of the same shape run a
// part of the published problem on the same part of the GPU.
#pragma once
#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "simulator/host/session.h"
#include "simulator/tests/program.h"
#include "simulator/timing/device_description.h"

namespace roofline::sim::tuned {

/// `sms` of a GPU's SMs, and their share of what all SMs have in common.
inline std::string part_of(const std::string& device, unsigned sms) {
  const DeviceDescription gpu = load_device(SIMULATOR_SOURCE "/devices", device);
  const double parts = double{1} * gpu.sms / sms;
  std::ostringstream id;
  id << std::setprecision(12) << device << ",sms=" << sms
     << ",l2_bytes=" << static_cast<u64>(static_cast<double>(gpu.l2_bytes) / parts)
     << ",l2_gbps=" << gpu.l2_gbps / parts << ",dram_gbps=" << gpu.dram_gbps / parts
     << ",blocks_per_clock=" << gpu.blocks_per_clock / parts;
  return id.str();
}

/// One of the programs in tests/tuned, built for one architecture.
class Program {
 public:
  Program(const std::string& name, const std::string& architecture) : file_(folder_ / name) {
    const test::Result built = test::run({std::string(CUDA_HOME) + "/bin/nvcc", "-std=c++20", "-cudart",
                                          "shared", "-arch=" + architecture, "-o", file_.string(),
                                          SIMULATOR_SOURCE "/tests/tuned/" + name + ".cu"});
    if (built.status != 0) throw std::runtime_error("nvcc failed: " + built.err + built.out);
  }

  /// Seconds of every kernel that it runs.
  std::vector<double> seconds(const std::string& device, const std::vector<std::string>& arguments) const {
    Session session = Session::start(SIMULATOR_BUILD, {.device = device});
    session.begin_region();
    std::vector<std::string> command = {file_.string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const test::Result result =
        test::run(command, test::simulated({"ROOFLINE_DEVICE_FD=" + std::to_string(session.guest_fd())}),
                  session.guest_fd());
    if (result.status != 0) throw std::runtime_error(file_.string() + ": " + result.err + result.out);
    std::vector<double> all;
    for (const KernelRecord& kernel : session.end_region().kernels) all.push_back(kernel.seconds);
    return all;
  }

 private:
  test::Folder folder_;
  std::filesystem::path file_;
};

/// How much of a published problem is simulated. Time grows by the same amount with each step of the loop
/// that all the time goes to (channels, k): two lengths of it tell the time of the whole.
struct Reduction {
  unsigned sms = 1;  ///< of the GPU's
  unsigned lengths[2] = {};

  std::string both() const { return std::to_string(lengths[0]) + "," + std::to_string(lengths[1]); }
  double whole(const double* times, unsigned length) const {
    return times[0] + (times[1] - times[0]) * (length - lengths[0]) / (lengths[1] - lengths[0]);
  }
};

/// "8x96/1x7/0,1" of "block=8x96 tile=1x7 apart=0,1".
inline std::string values_of(const std::string& words) {
  std::istringstream keys(words);
  std::string key, values;
  while (keys >> key) values += (values.empty() ? "" : "/") + key.substr(key.find('=') + 1);
  return values;
}

/// Milliseconds of configurations of the dedispersion: "block=8x96 tile=1x7 apart=0,1". Every output goes
/// through all channels, a line of L1 each. With fewer channels than these, blocks find for the next output
/// what they read for the one before, which 1536 do not leave there: a tenth too fast. With 256 and 512,
/// which take four times as long, six configurations come out 3 % slower to 5 % faster.
inline std::vector<double> dedispersion(const std::string& device, const std::vector<std::string>& wanted,
                                        const Reduction& reduction = {4, {64, 160}}) {
  constexpr unsigned kChannels = 1536, kSms = 108;
  const Program program("dedispersion", "sm_80");
  std::vector<double> all;
  for (const std::string& words :
       wanted) {  // each alone: which blocks are sampled depends on what ran before
    const auto times = program.seconds(part_of(device, reduction.sms), {std::to_string(kSms / reduction.sms),
                                                                        reduction.both(), values_of(words)});
    all.push_back(reduction.whole(times.data(), kChannels) * 1e3);
  }
  return all;
}

/// How deep the products of a rung are that tell its time. Rungs without tiles keep both factors in L1. In
/// those whose threads all load for a tile of fewer vectors, the rows of A that a block reads stay in L2 from
/// one block to the next, as on the whole: they are 512 at most. Such threads read ahead in B, too, by 256
/// rows in 02v and 64 in 03v; only what is deeper than that has whole steps.
inline Reduction depths_of(const std::string& rung, unsigned sms) {
  if (rung < "02") return {sms, {64, 128}};
  if (rung == "02v") return {sms, {256, 384}};
  if (rung == "03v") return {sms, {128, 256}};
  return {sms, {256, 512}};
}

/// TFLOP/s of rungs of the ladder of products at 4096: "type=f32 rung=04v". 4 of 82 SMs make 256 rows of 3200
/// columns, which are 4 / 82 of the whole, too: as many blocks an SM, with tiles of 128, 64 and 32. The rows
/// of A that a block reads stay in L2, and B does not, as on the whole.
inline std::vector<double> products(const std::string& device, const std::vector<std::string>& wanted) {
  constexpr unsigned kSize = 4096, kSms = 4;
  const Program program("products", "sm_86");
  std::vector<double> all;
  for (const std::string& words : wanted) {
    const std::string name = values_of(words);
    const Reduction reduction = depths_of(name.substr(name.find('/') + 1), kSms);
    const auto times = program.seconds(part_of(device, kSms), {"256", "3200", reduction.both(), name});
    all.push_back(2.0 * kSize * kSize * kSize / reduction.whole(times.data(), kSize) * 1e-12);
  }
  return all;
}

/// TFLOP/s of Tensor Core products in tiles at 4096: "depth=32 stages=2".
inline std::vector<double> tensor_tiles(const std::string& device, const std::vector<std::string>& wanted) {
  constexpr unsigned kSize = 4096, kParts = 4, kSms = 108 / kParts;
  std::vector<std::string> arguments = {std::to_string(kParts), std::to_string(kSize)};
  for (const std::string& words : wanted) arguments.push_back(values_of(words));
  std::vector<double> all;
  for (const double time : Program("tensor_tiles", "sm_80").seconds(part_of(device, kSms), arguments))
    all.push_back(2.0 * kSize * kSize * kSize / time * 1e-12);
  return all;
}

}  // namespace roofline::sim::tuned
