// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/busiest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "simulator/timing/kernel_model.h"

namespace roofline::sim {
namespace {

constexpr u32 kStepBits = 4;

size_t step_of(u64 work) {
  const auto bits = static_cast<u32>(std::bit_width(work));
  if (bits <= kStepBits + 1) return work;
  const u32 shift = bits - kStepBits - 1;
  return (size_t{shift} << kStepBits) + (work >> shift);
}

/// The least work of the step.
u64 work_at(size_t step) {
  if (step < (size_t{2} << kStepBits)) return step;
  const size_t shift = (step >> kStepBits) - 1;
  return ((step & ((size_t{1} << kStepBits) - 1)) + (size_t{1} << kStepBits)) << shift;
}

constexpr double kMostRegisters = 255;

/// Clocks for some work, where a pipe gives `share` of its rate and so many registers can wait for loads.
double clocks(const DeviceDescription& device, const ResourceUse& work, double share, double registers) {
  const auto pipe = [&](Pipe which, double rate) {
    return rate > 0 ? number(work[static_cast<size_t>(which)]) / (rate * share) : 0;
  };
  double pipes = pipe(Pipe::kTensor, kTensorUnit);
  for (const Pipe which : kPipesThatCost) pipes = std::max(pipes, pipe(which, speed_of(device, which).rate));
  const double sector = static_cast<double>(kSectorBytes);
  return std::max({
      number(work[ResourceUse::kIssue]) / (device.issue_rate * share),
      pipes,
      // One data path, which a single warp can fill.
      data_path_clocks(device, number(work[ResourceUse::kL1Passes]), number(work[ResourceUse::kL1Transfers])),
      number(work[ResourceUse::kSharedWavefronts]) / device.shared_wavefronts_per_clock,
      number(work[ResourceUse::kReadSectors]) * sector / device.l2_bytes_per_clock,
      number(work[ResourceUse::kWrittenSectors]) * sector / device.l2_bytes_per_clock,
      // Little's law: a register that waits for L2 is taken for L2's latency.
      number(work[ResourceUse::kLoadedRegisters]) / registers * device.l2_latency,
  });
}

}  // namespace

void BusiestTally::Histogram::add(u64 work, u64 times) {
  if (work == 0) return;
  const size_t step = step_of(work);
  if (blocks.size() <= step) blocks.resize(step + 1);
  blocks[step] += times;
}

void BusiestTally::Histogram::add(const Histogram& other) {
  if (blocks.size() < other.blocks.size()) blocks.resize(other.blocks.size());
  for (size_t step = 0; step < other.blocks.size(); ++step) blocks[step] += other.blocks[step];
}

/// Of n blocks that do so much or more, one SM has n / sms or more; and one has the average of all.
u64 BusiestTally::Histogram::on_busiest_of(u32 sms) const {
  u64 most = 0, n = 0, all = 0;
  for (size_t step = blocks.size(); step-- > 0;) {
    if (blocks[step] == 0) continue;
    n += blocks[step];
    all += blocks[step] * work_at(step);
    most = std::max(most, (n + sms - 1) / sms * work_at(step));
  }
  return std::max(most, all / sms);
}

void BusiestTally::clear() {
  warp_ = block_ = latest_ = {};
  times_ = 0;
  for (Histogram& histogram : histograms_) histogram.blocks.clear();
}

void BusiestTally::add_block(const ResourceUse& block, const ResourceUse& busiest_warp) {
  warp_.raise_to(busiest_warp);
  if (block != latest_) {
    count_latest();
    latest_ = block;
  }
  ++times_;
}

void BusiestTally::count_latest() {
  if (times_ == 0) return;
  block_.raise_to(latest_);
  for (size_t i = 0; i < ResourceUse::kCount; ++i) histograms_[i].add(latest_[i], times_);
  times_ = 0;
}

void BusiestTally::add(const BusiestTally& other) {
  BusiestTally complete = other;
  complete.count_latest();
  warp_.raise_to(complete.warp_);
  block_.raise_to(complete.block_);
  for (size_t i = 0; i < ResourceUse::kCount; ++i) histograms_[i].add(complete.histograms_[i]);
}

BusiestUse BusiestTally::busiest(u32 sms) const {
  BusiestTally complete = *this;
  complete.count_latest();
  BusiestUse most{complete.warp_, complete.block_, {}};
  for (size_t i = 0; i < ResourceUse::kCount; ++i) most.sm[i] = complete.histograms_[i].on_busiest_of(sms);
  return most;
}

LeastTime least_time(const DeviceDescription& device, const KernelCounters& counters,
                     const KernelResources& resources, Dim3 block) {
  const double warps = std::max(1.0, std::ceil(number(block.count()) / number(kWarpSize)));
  // Estimated registers are no bound.
  const double registers =
      resources.registers_estimated || resources.registers == 0 ? kMostRegisters : resources.registers;
  const double of_sm = number(device.registers_per_sm) / number(kWarpSize);
  const BusiestUse& most = counters.busiest;
  const LeastTime bounds[] = {
      {"busiest warp", clocks(device, most.warp, 1 / kSchedulersPerSm, registers)},
      {"busiest block", clocks(device, most.block, 1, std::min(registers * warps, of_sm))},
      {"busiest SM", clocks(device, most.sm, 1, of_sm)}};
  LeastTime longest = *std::max_element(std::begin(bounds), std::end(bounds),
                                        [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  longest.seconds /= device.clock_mhz * 1e6;
  return longest;
}

}  // namespace roofline::sim
