// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/program/instruction.h"
#include "simulator/types.h"

namespace roofline::sim {

inline constexpr double kSchedulersPerSm = 4;  ///< sub-partitions of an SM; a warp lives in one of them

/// Everything the simulator knows about a GPU; read from devices/NAME.toml, where every number has its
/// source. Units are in the names; rates are per SM and clock unless said otherwise.
struct DeviceDescription {
  std::string id;    ///< file name without extension: "a100-sxm4-40gb"
  std::string name;  ///< what cudaDeviceProp::name says: "NVIDIA A100-SXM4-40GB"
  u32 compute_major = 0, compute_minor = 0;
  u32 sms = 0;
  double clock_mhz = 0;  ///< boost clock of the SMs
  double tensor_clock_mhz = 0;

  // Limits (CUDA C++ Programming Guide, compute capability table).
  u32 max_threads_per_block = 1024, max_threads_per_sm = 0, max_blocks_per_sm = 0, max_warps_per_sm = 0;
  u32 registers_per_sm = 65536, register_allocation_unit = 256;
  u64 shared_per_sm = 0, shared_per_block = 0, shared_per_block_optin = 0, shared_reserved_per_block = 0;
  u64 l1_bytes = 0;  ///< unified L1 + shared storage of an SM
  u64 memory_bytes = 0;
  u32 memory_bus_bits = 0;
  double memory_clock_mhz = 0;  ///< as cudaDevAttrMemoryClockRate (2 x this x bus/8 = pin bandwidth)
  u64 l2_bytes = 0;
  u32 l2_ways = 16;
  u32 copy_engines = 2;
  u32 pcie_generation = 4;

  // Rates: warp instructions a clock per SM (all sub-partitions together).
  double issue_rate = 4, fma_rate = 0, alu_rate = 0, half_rate = 0, fp64_rate = 0, sfu_rate = 0;
  double memory_issue_rate = 0, control_rate = 0;
  // Tensor Cores: dense operations a clock and SM at tensor_clock_mhz, by type as in FlopType; 0: the card
  // has none of this type.
  double tensor_f16_flops_per_clock = 0;      ///< f16 inputs, f16 accumulators
  double tensor_f16_f32_flops_per_clock = 0;  ///< f16 inputs, f32 accumulators
  double tensor_bf16_flops_per_clock = 0, tensor_tf32_flops_per_clock = 0, tensor_f64_flops_per_clock = 0;
  double tensor_f8_flops_per_clock = 0, tensor_s8_flops_per_clock = 0, tensor_s4_flops_per_clock = 0;
  double tensor_b1_flops_per_clock = 0;
  double mma_sync_factor = 1;  ///< part of these rates that mma.sync reaches (wgmma, tcgen05: the whole)
  double three_register_fma_factor = 1;  ///< rate of FMAs with three distinct register sources, of fma_rate
  double fma_efficiency = 1;             ///< measured share of the FMA peak that a register-only loop reaches
  double l1_bytes_per_clock = 128;       ///< what L1 gives an SM
  double l2_bytes_per_clock = 64;        ///< between one SM and L2
  double shared_wavefronts_per_clock = 1;
  double l2_gbps = 0;        ///< reads, measured, whole device
  double l2_write_cost = 1;  ///< what a write costs, in reads: more where L2 has two partitions
  double dram_gbps = 0;      ///< pin rate
  double dram_read_efficiency = 0, dram_write_efficiency = 0;  ///< of pin rate, measured
  double dram_copy_efficiency = 0;  ///< of pin rate, as many reads as writes, measured
  // Atomics in L2, the whole device.
  double atomic_sectors_per_clock = 0;             ///< one word each; one more word takes an eighth of that
  double atomic_turns_per_clock = 0;               ///< further lanes of a request on a word ...
  double atomic_turns_64_per_clock = 0;            ///< ... of 64 bits
  double atomic_slice_turns_per_clock = 0;         ///< in 512 neighbouring bytes
  double atomic_same_address_per_clock = 0;        ///< integers that come to one address ...
  double atomic_float_same_address_per_clock = 0;  ///< ... and floats
  // In shared memory: a turn of a loop of compare and swap, in clocks.
  double atomic_loop_latency = 0, atomic_loop_64_latency = 0;
  double overlap_exponent = 3.5;  ///< how sharply the slowest resource wins (p-norm over resources)
  double latency_exponent = 3;    ///< the same between throughput and latency, for kernels without records
  /// Part of the bytes on their way to or from L2 and DRAM whose service a load waits for, by what they are.
  double l2_read_wait = 0, l2_write_wait = 0, dram_read_wait = 0, dram_write_wait = 0;

  // Latencies in SM clocks.
  double alu_latency = 4, fma_latency = 4, half_latency = 6, fp64_latency = 0, sfu_latency = 0;
  double shared_latency = 0, l1_latency = 0, l2_latency = 0, dram_latency = 0;
  double barrier_latency = 0, tensor_latency = 0, control_latency = 0;
  double block_start_latency = 0;  ///< a block's start and end: from one block to the next in its place
  double blocks_per_clock = 0;     ///< that start on the whole device, however small

  // Time outside kernels, in microseconds.
  double launch_us = 0;  ///< host: cost of one stream launch call
  double kernel_gap_us =
      0;  ///< device: from the end of a kernel (or the host's call) to the start of the next
  double kernel_start_us = 0;            ///< device: empty kernel
  double graph_launch_us = 0;            ///< host: cost of one graph launch call
  double graph_launch_node_us = 0;       ///< host: added to it by each node
  double graph_instantiate_us = 0;       ///< host: cost of one instantiation
  double graph_instantiate_node_us = 0;  ///< host: added to it by each node
  double graph_node_us = 0;  ///< device: one empty kernel node after another, kernel_start_us included
  double synchronize_us = 0, api_call_us = 0, event_us = 0;
  double copy_latency_us = 0;  ///< of the smallest copy
  double pinned_gbps = 0, pageable_gbps = 0, device_copy_latency_us = 0;
  double copy_half_size_bytes = 0;  ///< transfer size at which half the link rate is reached
  u32 peer_access = 0;              ///< 1: two of these in a machine reach each other's memory
  double peer_gbps = 0;             ///< copy from one to the other, one direction
  double peer_latency_us = 0;       ///< of the smallest such copy
  double fault_group_us = 0;        ///< driver: 64 KiB of pages that a kernel faulted on

  std::vector<std::string> sources;  ///< citations, printed by `./lab roofs`
};

/// Reads devices/ID.toml; throws std::runtime_error with the file and line, and the list of known devices. An
/// id may go on with changes of its numbers, "h200,sms=66,dram_gbps=2400": an experiment on a GPU that does
/// not exist, whose name says so. tensor_clock_mhz follows clock_mhz, and memory_clock_mhz follows dram_gbps,
/// where only the first is given.
DeviceDescription load_device(const std::filesystem::path& directory, const std::string& id);

/// "h200" of "h200,sms=66".
std::string plain_device(std::string_view id);
/// Whether an id changes numbers of its device.
bool is_changed_device(std::string_view id);

/// How fast one pipe of an SM is.
struct PipeSpeed {
  double rate = 0;     ///< warp instructions a clock, all sub-partitions together; 0: there is no such pipe
  double latency = 0;  ///< clocks until the result can be used
};

/// A tensor instruction's rate depends on its type and shape
/// (mma_sync_rate), so that of kTensor is 0.
PipeSpeed speed_of(const DeviceDescription& device, Pipe pipe);

/// What does not fit together in a description, "shared_per_sm (...) may not be more than l1_bytes (...)";
/// empty where everything does.
std::string contradiction(const DeviceDescription& device);

/// Sets a number by its key in the files; false when no number has this key. For descriptions derived from
/// another.
bool set_number(DeviceDescription& device, std::string_view key, double value);

/// The ids of all device files in the directory, sorted.
std::vector<std::string> known_devices(const std::filesystem::path& directory);

}  // namespace roofline::sim
