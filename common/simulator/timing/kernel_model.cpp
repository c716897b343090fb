// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/kernel_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "simulator/timing/busiest.h"

namespace roofline::sim {
namespace {

/// How reads and writes of L2 share its slices, which have a way in and a way out: gpu-l2-stream's copies on
/// A100, A40, L40 and GH200 give 1.2 to 1.45 beside its reads and fills.
constexpr double kL2Exponent = 1.3;

/// What one more word of a sector costs L2, beside the sector: one word 94, eight words 50 billion a second
/// on an H200.
constexpr double kMoreWords = 1.0 / 8;

/// Everything the bounds need to know about one launch.
class KernelModel {
 public:
  KernelModel(const DeviceDescription& device, const KernelCounters& counters,
              const KernelResources& resources, Dim3 grid, Dim3 block, std::span<const BlockRecord> records,
              ReplayMemory& memory)
      : device_(device),
        counters_(counters),
        records_(records),
        memory_(memory),
        blocks_(number(grid.count())) {
    resident_ = std::max<double>(1, occupancy(device, resources, block, grid.count()).blocks_per_sm);
    // The busiest SM decides: with few blocks some SMs have one more than others, or none at all.
    const double rounds_of_sms = std::max(1.0, std::ceil(blocks_ / device.sms));
    sm_cycle_ = rounds_of_sms / std::max(1.0, blocks_) / (device.clock_mhz * 1e6);
    used_sms_ = std::clamp<double>(blocks_, 1, device.sms);
  }

  /// The parts of the device that are busy in a kernel of so many seconds, after run().
  DeviceShare share(double seconds) const {
    DeviceShare share;
    for (size_t i = 0; i < busy_.size(); ++i) share.of[i] = std::min(1.0, busy_[i] / seconds);
    return share;
  }

  KernelTime run() {
    dram();
    l2();
    link();
    data_path();
    pipes();
    atomics();
    const double latency = latency_seconds();
    KernelTime result;
    // What resources do beside each other, and what one SM does with its share of them, one after the other.
    const double together = norm(device_.overlap_exponent);
    const double work = records_.empty() ? joined(together, latency, device_.latency_exponent)
                                         : std::max(together, replayed_seconds(result));
    // Blocks that wait for their latency leave the launching of others alone; work that fills the device does
    // not.
    add(kLaunch, "block launch", blocks_ / (device_.blocks_per_clock * device_.clock_mhz * 1e6));
    result.seconds = std::max(work, norm(device_.overlap_exponent));
    bounds_.push_back({"latency", latency});
    bounds_.push_back(part_);  // shown, but not a resource of its own
    std::stable_sort(bounds_.begin(), bounds_.end(),
                     [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
    for (const auto& bound : bounds_)
      if (bound.seconds > 0 || bound.resource == "latency") result.bounds.push_back(bound);
    return result;
  }

 private:
  /// Resources of one group cannot wait for each other: a scheduler that feeds the FMA pipe is not idle for
  /// it, and what DRAM moves passes L2 on its way.
  enum Group : size_t { kMemory, kDataPath, kArithmetic, kAtomics, kLaunch, kGroups };

  /// Of the SMs' own resources the device has as many as SMs, and the kernel uses some.
  void busy(DeviceShare::Resource resource, double seconds) {
    const bool of_sms = resource >= DeviceShare::kDataPaths && resource <= DeviceShare::kTensor;
    busy_[resource] = std::max(busy_[resource], of_sms ? seconds * used_sms_ / device_.sms : seconds);
  }

  void add(Group group, const std::string& resource, double seconds) {
    bounds_.push_back({resource, seconds});
    groups_[group] = std::max(groups_[group], seconds);
    if (group == kDataPath) busy(DeviceShare::kDataPaths, seconds);
    if (group == kAtomics) busy(DeviceShare::kAtomics, seconds);
  }

  /// Seconds that the busiest SM needs for `cycles` of work counted over the whole kernel.
  double on_busiest_sm(double cycles) const { return cycles * sm_cycle_; }

  /// Reads and writes share the bus, and turning it round costs time: the published read, write and copy
  /// rates are three points of a parabola over the share of reads.
  void dram() {
    const double bytes = number(counters_.dram_read_bytes) + number(counters_.dram_write_bytes);
    if (bytes <= 0) return;
    add(kMemory, "DRAM", bytes / dram_rate());
    busy(DeviceShare::kDram, bytes / dram_rate());
  }

  /// Bytes a second for the kernel's share of reads.
  double dram_rate() const {
    const double read = number(counters_.dram_read_bytes);
    const double bytes = read + number(counters_.dram_write_bytes);
    const double share = bytes > 0 ? read / bytes : 1;
    const double straight =
        share * device_.dram_read_efficiency + (1 - share) * device_.dram_write_efficiency;
    const double sag =
        (device_.dram_read_efficiency + device_.dram_write_efficiency) / 2 - device_.dram_copy_efficiency;
    return device_.dram_gbps * 1e9 * (straight - 4 * share * (1 - share) * sag);
  }

  /// The slices serve reads and writes alike; a write costs more where L2 has two partitions that both must
  /// know of it. The ports of the SMs have a network for each direction; one SM alone cannot take more than
  /// its port gives.
  void l2() {
    const double read = number(counters_.l2_read_sectors) * static_cast<double>(kSectorBytes);
    const double written = number(counters_.l2_write_sectors) * static_cast<double>(kSectorBytes);
    const double slices =
        joined(read, written * device_.l2_write_cost, kL2Exponent) / (device_.l2_gbps * 1e9);
    const double ports = used_sms_ * device_.l2_bytes_per_clock * device_.clock_mhz * 1e6;
    add(kMemory, "L2", std::max(slices, std::max(read, written) / ports));
    busy(DeviceShare::kL2, slices);
  }

  /// Pinned memory stays with the host, and another GPU's memory there; each link has a way in and a way out.
  /// What else is on the link between GPUs at the time the timeline knows.
  void link() {
    const double host = std::max(number(counters_.host_read_bytes), number(counters_.host_write_bytes));
    const double peers = std::max(number(counters_.peer_read_bytes), number(counters_.peer_write_bytes));
    const double seconds = std::max(host / device_.pinned_gbps, peers / device_.peer_gbps) * 1e-9;
    if (seconds > 0) add(kMemory, "link", seconds);
    busy(DeviceShare::kLink, host / device_.pinned_gbps * 1e-9);
  }

  /// L1 and shared memory are one storage behind one data path: passes of requests that hit as of those that
  /// do not.
  void data_path() {
    const double l1 =
        data_path_clocks(device_, number(counters_.global_passes), number(counters_.global_transfers));
    const double shared = number(counters_.shared_wavefronts + counters_.shared_loop_passes) /
                          device_.shared_wavefronts_per_clock;
    const bool mostly_shared = shared > l1;
    add(kDataPath, mostly_shared ? "shared" : "L1", on_busiest_sm(l1 + shared));
    part_ = {mostly_shared ? "L1" : "shared", on_busiest_sm(mostly_shared ? l1 : shared)};
  }

  void pipes() {
    const auto slots = [&](Pipe pipe) { return number(counters_.pipe_warps[static_cast<size_t>(pipe)]); };
    const auto add_pipe = [&](DeviceShare::Resource resource, const char* name, double clocks) {
      add(kArithmetic, name, on_busiest_sm(clocks));
      busy(resource, on_busiest_sm(clocks));
    };
    const auto clocks = [&](Pipe pipe) { return slots(pipe) / speed_of(device_, pipe).rate; };
    add_pipe(DeviceShare::kIssue, "issue", number(counters_.issue_slots) / device_.issue_rate);
    const double three = std::min(number(counters_.three_register_fma), slots(Pipe::kFma));
    const double fma = slots(Pipe::kFma) - three + three / device_.three_register_fma_factor;
    add_pipe(DeviceShare::kFma, "FMA", fma / (device_.fma_rate * device_.fma_efficiency));
    add_pipe(DeviceShare::kAlu, "ALU", clocks(Pipe::kAlu));
    add_pipe(DeviceShare::kHalf, "half", clocks(Pipe::kHalf));
    add_pipe(DeviceShare::kFp64, "FP64", clocks(Pipe::kFp64));
    add_pipe(DeviceShare::kSfu, "SFU", clocks(Pipe::kSfu));
    add(kDataPath, "memory issue", on_busiest_sm(clocks(Pipe::kMemory)));
    add_pipe(DeviceShare::kControl, "control", clocks(Pipe::kControl));
    double tensor_clocks = 0;
    for (size_t type = 0; type < static_cast<size_t>(FlopType::kCount); ++type)
      if (const double rate = mma_sync_rate(device_, static_cast<FlopType>(type)); rate > 0)
        tensor_clocks += number(counters_.flops[type]) / rate;
    add_pipe(DeviceShare::kTensor, "tensor", tensor_clocks);
  }

  /// L2 does the atomics: the whole device so many sectors a clock, lanes that meet within a request in
  /// turns, a slice one turn after the other, and an address one lane after the other.
  void atomics() {
    const double sectors = number(counters_.atomic_met_sectors) +
                           kMoreWords * number(counters_.atomic_sector_words - counters_.atomic_met_sectors);
    const double everywhere = sectors / device_.atomic_sectors_per_clock +
                              number(counters_.atomic_more_turns) / device_.atomic_turns_per_clock +
                              number(counters_.atomic_more_turns_64) / device_.atomic_turns_64_per_clock;
    const double floats = counters_.atomic_lanes > 0
                              ? number(counters_.atomic_float_lanes) / number(counters_.atomic_lanes)
                              : 0;
    const double lane = floats / device_.atomic_float_same_address_per_clock +
                        (1 - floats) / device_.atomic_same_address_per_clock;
    const double clocks =
        std::max({everywhere, number(counters_.atomic_slice_turns_max) / device_.atomic_slice_turns_per_clock,
                  number(counters_.atomic_same_address_max) * lane});
    add(kAtomics, "atomics", clocks / (device_.clock_mhz * 1e6));
  }

  /// Little's law: a place on an SM runs its blocks one after the other, each for its dependency time,
  /// however idle the SM is otherwise. The first block's start is part of launching (kernel_start_us).
  double latency_seconds() const {
    const double rounds = std::ceil(blocks_ / (resident_ * device_.sms));
    const double reads = number(counters_.l2_read_sectors);
    const double hit = reads > 0 ? number(counters_.l2_hit_sectors) / reads : 0;
    const double cycles = counters_.block_cycles_l2 * hit + counters_.block_cycles_dram * (1 - hit);
    return (rounds * cycles + (rounds - 1) * device_.block_start_latency) / (device_.clock_mhz * 1e6);
  }

  /// Leaves in `time` what warps did meanwhile, in cycles of what was replayed.
  double replayed_seconds(KernelTime& time) const {
    const double reads = number(counters_.l2_read_sectors);
    // Reads that are not counted (parts of asynchronous copies) hit.
    const double hit = reads > 0 ? number(counters_.l2_hit_sectors) / reads : 1;
    ReplayWork work;
    work.records = records_;
    work.blocks = static_cast<u64>(std::ceil(blocks_ / device_.sms));
    work.resident = static_cast<u32>(resident_);
    work.start_interval = used_sms_ / device_.blocks_per_clock;
    work.hit_rate = [&](u32 instruction) {
      if (instruction >= counters_.per_instruction.size()) return hit;
      const auto& mine = counters_.per_instruction[instruction];
      return mine.l2_read_sectors > 0 ? number(mine.l2_hit_sectors) / number(mine.l2_read_sectors) : hit;
    };
    const double share = used_sms_ * device_.clock_mhz * 1e6;  // bytes a second to bytes a clock of one SM
    const double written = number(counters_.l2_write_sectors) * static_cast<double>(kSectorBytes);
    const double served = reads * static_cast<double>(kSectorBytes), costs = written * device_.l2_write_cost;
    // Reads and writes queue behind each other in the replay: together they take what they take beside each
    // other.
    const double beside = joined(served, costs, kL2Exponent);
    work.l2_bytes_per_clock = device_.l2_gbps * 1e9 / share * (beside > 0 ? (served + costs) / beside : 1);
    work.dram_bytes_per_clock = dram_rate() / share;
    work.stores_to_dram = written > 0 ? std::min(1.0, number(counters_.dram_write_bytes) / written) : 0;
    work.most_instructions = 1 << 19;
    const ReplayOutcome& outcome = memory_.replay(device_, work);
    time.stalls = outcome.stalls;
    time.stalls_of = outcome.stalls_of;
    return outcome.cycles * average_to_replayed(work.blocks) / (device_.clock_mhz * 1e6);
  }

  /// Instructions of the average block for each one of those that were replayed: blocks with less to do leave
  /// their places earlier. In the first round the busiest SM may have only such blocks.
  double average_to_replayed(u64 blocks_of_sm) const {
    const double blocks = number(blocks_of_sm);
    double replayed = 0;  // the recorded ones in turn
    for (size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].issued == 0) return 1;
      const u64 times = blocks_of_sm / records_.size() + (i < blocks_of_sm % records_.size() ? 1 : 0);
      replayed += number(records_[i].issued) * number(times) / blocks;
    }
    const double average = number(counters_.even_warp_instructions) / blocks_;
    const double rest = std::max(1 - resident_ / blocks, 0.0);  // after the first round
    return 1 + (average / replayed - 1) * rest;
  }

  static double joined(double a, double b, double exponent) {
    return std::pow(std::pow(a, exponent) + std::pow(b, exponent), 1 / exponent);
  }

  double norm(double exponent) const {
    const double largest = *std::max_element(groups_.begin(), groups_.end());
    if (largest == 0) return 0;
    double sum = 0;
    for (const double seconds : groups_) sum += std::pow(seconds / largest, exponent);
    return largest * std::pow(sum, 1 / exponent);
  }

  const DeviceDescription& device_;
  const KernelCounters& counters_;
  std::span<const BlockRecord> records_;
  ReplayMemory& memory_;
  double blocks_, resident_ = 1, used_sms_ = 1;
  double sm_cycle_ =
      0;  ///< seconds a cycle of work adds to the busiest SM, when it is spread over all blocks
  std::vector<KernelTime::Bound> bounds_;
  std::array<double, DeviceShare::kResources> busy_{};  ///< seconds of work, of the device's resources
  std::array<double, kGroups> groups_{};                ///< slowest resource of each group
  KernelTime::Bound part_;  ///< the smaller part of the L1 and shared memory data path
};

}  // namespace

double data_path_clocks(const DeviceDescription& device, double passes, double transfers) {
  return std::max(passes / device.shared_wavefronts_per_clock,
                  transfers * static_cast<double>(kLineBytes) / device.l1_bytes_per_clock);
}

double mma_sync_rate(const DeviceDescription& device, FlopType type) {
  const double dense = [&] {
    switch (type) {
      case FlopType::kTensorF16:
        return device.tensor_f16_flops_per_clock;
      case FlopType::kTensorF16F32:
        return device.tensor_f16_f32_flops_per_clock;
      case FlopType::kTensorBf16:
        return device.tensor_bf16_flops_per_clock;
      case FlopType::kTensorTf32:
        return device.tensor_tf32_flops_per_clock;
      case FlopType::kTensorF64:
        return device.tensor_f64_flops_per_clock;
      case FlopType::kTensorF8:
        // For 9.0 and 10.0 ptxas makes two HMMA.16816.F32 and conversions of it (seen with nvdisasm 13.5 in
        // what ptxas 13.0 writes for m16n8k32); for 8.9 and 12.0 one QMMA. The rate of the data sheet is that
        // of wgmma and tcgen05.
        return device.compute_major == 9 || device.compute_major == 10 ? device.tensor_f16_f32_flops_per_clock
                                                                       : device.tensor_f8_flops_per_clock;
      case FlopType::kTensorS8:
        return device.tensor_s8_flops_per_clock;
      case FlopType::kTensorS4:
        return device.tensor_s4_flops_per_clock;
      case FlopType::kTensorB1:
        return device.tensor_b1_flops_per_clock;
      default:
        return 0.0;
    }
  }();
  return dense * device.mma_sync_factor * device.tensor_clock_mhz / device.clock_mhz;
}

double tensor_latency(const DeviceDescription& device, FlopType type, double flops) {
  constexpr double kWhole = 2 * 16 * 8 * 16;  // m16n8k16
  const double rate = mma_sync_rate(device, type), of_halves = mma_sync_rate(device, FlopType::kTensorF16);
  const double part = rate > 0 ? std::min(flops / rate / (kWhole / of_halves), 1.0) : 1;
  return device.tensor_latency * (1 + 2 * part) / 3;
}

KernelTime model_kernel(const DeviceDescription& device, const KernelCounters& counters,
                        const KernelResources& resources, Dim3 grid, Dim3 block,
                        std::span<const BlockRecord> records, ReplayMemory* memory, double cycles_in_time) {
  ReplayMemory none;
  KernelModel model(device, counters, resources, grid, block, records, memory != nullptr ? *memory : none);
  KernelTime time = model.run();
  if (const LeastTime least = least_time(device, counters, resources, block); least.seconds > time.seconds) {
    time.seconds = least.seconds;
    time.bounds.insert(time.bounds.begin(), {least.whose, least.seconds});
  }
  // Nor is it faster than its longest block alone.
  const double reads = number(counters.l2_read_sectors);
  const double hit = reads > 0 ? number(counters.l2_hit_sectors) / reads : 1;
  const double longest = (counters.longest_cycles_l2 * hit + counters.longest_cycles_dram * (1 - hit)) /
                         (device.clock_mhz * 1e6);
  if (longest > time.seconds) {
    time.seconds = longest;
    time.bounds.insert(time.bounds.begin(), {"busiest block", longest});
  }
  // Nor faster than its blocks can wait for each other.
  if (const double waits = cycles_in_time / (device.clock_mhz * 1e6); waits > time.seconds) {
    time.seconds = waits;
    time.bounds.insert(time.bounds.begin(), {"waits between blocks", waits});
  }
  if (time.seconds > 0) time.share = model.share(time.seconds);
  if (const double cycles = time.stalls.sum(); cycles > 0) {
    time.stalls.scale(time.seconds / cycles);
    for (StallTimes& stalls : time.stalls_of) stalls.scale(time.seconds / cycles);
  }
  return time;
}

}  // namespace roofline::sim
