// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/launch.h"

#include <algorithm>
#include <cstring>

#include "simulator/runtime/capture.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

constexpr u32 kMaxGridX = 0x7fffffff, kMaxGridYZ = 65535, kMaxBlockXY = 1024, kMaxBlockZ = 64;

Dim3 extent(dim3 d) { return {d.x, d.y, d.z}; }

bool within(dim3 d, u32 x, u32 y, u32 z) {
  return d.x >= 1 && d.y >= 1 && d.z >= 1 && d.x <= x && d.y <= y && d.z <= z;
}

/// Registers are given to whole warps, in units.
u64 registers_of_block(const DeviceDescription& device, const Kernel& kernel, u64 threads) {
  const u64 unit = std::max<u64>(device.register_allocation_unit, 1);
  const u64 warp = (u64{kernel.facts.resources.registers} * kWarpSize + unit - 1) / unit * unit;
  return (threads + kWarpSize - 1) / kWarpSize * warp;
}

cudaError_t check(const LaunchRequest& q, const Kernel& kernel, const DeviceDescription& device) {
  if (!within(q.grid, kMaxGridX, kMaxGridYZ, kMaxGridYZ) ||
      !within(q.block, kMaxBlockXY, kMaxBlockXY, kMaxBlockZ))
    return cudaErrorInvalidConfiguration;
  const u64 threads = extent(q.block).count();
  if (threads > device.max_threads_per_block) return cudaErrorInvalidConfiguration;
  if (q.dynamic_shared_bytes > dynamic_shared_limit(kernel, device)) return cudaErrorInvalidValue;
  const u32 bound = kernel.facts.resources.max_threads;
  if ((bound && threads > bound) || registers_of_block(device, kernel, threads) > device.registers_per_sm)
    return cudaErrorLaunchOutOfResources;
  return cudaSuccess;
}

/// Lays the arguments out as the kernel's parameter list says.
bool pack(const FunctionFacts& facts, void** arguments, std::vector<std::byte>& packed) {
  packed.assign(facts.parameter_bytes, std::byte{0});
  for (size_t i = 0; i < facts.parameter_sizes.size(); i++) {
    if (!arguments || !arguments[i]) return false;
    std::memcpy(packed.data() + facts.parameter_offsets[i], arguments[i], facts.parameter_sizes[i]);
  }
  return true;
}

KernelCall kernel_call(const LaunchRequest& q, const Kernel& kernel, std::vector<std::byte> parameters) {
  KernelCall call{q.function,
                  q.grid,
                  q.block,
                  q.dynamic_shared_bytes,
                  std::move(parameters),
                  kernel.facts.parameter_offsets,
                  {}};
  if (q.cooperative) {
    KernelAttribute cooperative{cudaLaunchAttributeCooperative};
    cooperative.value.cooperative = 1;
    call.attributes.push_back(cooperative);
  }
  return call;
}

}  // namespace

u64 dynamic_shared_limit(const Kernel& kernel, const DeviceDescription& device) {
  const u64 fixed = kernel.facts.resources.static_shared_bytes;
  const u64 usual = device.shared_per_block > fixed ? device.shared_per_block - fixed : 0;
  return std::max(usual, kernel.max_dynamic_shared);
}

cudaError_t blocks_per_sm(Runtime& runtime, Kernel& kernel, dim3 block, u64 dynamic_shared_bytes,
                          u32& blocks) {
  OccupancyState state;
  const Status status =
      runtime.connection().call(QueryOccupancy{kernel.facts.id, extent(block), dynamic_shared_bytes}, state);
  blocks = state.blocks_per_sm;
  return to_cuda(status);
}

cudaError_t launch(const LaunchRequest& q) {
  return api([&](Runtime& r) {
    Kernel* kernel = r.modules.find_kernel(q.function);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    if (const cudaError_t error = r.modules.resolve(*kernel, r.connection()); error != cudaSuccess)
      return error;
    if (const cudaError_t error = check(q, *kernel, r.device()); error != cudaSuccess) return error;
    const StreamUse use = use_stream(r, q.stream);
    if (use.error != cudaSuccess) return use.error;
    if (q.cooperative) {
      u32 blocks = 0;
      if (const cudaError_t error = blocks_per_sm(r, *kernel, q.block, q.dynamic_shared_bytes, blocks);
          error != cudaSuccess)
        return error;
      if (extent(q.grid).count() > u64{blocks} * r.device().sms) return cudaErrorCooperativeLaunchTooLarge;
    }
    LaunchKernel command{kernel->facts.id, use.id, extent(q.grid), extent(q.block), q.dynamic_shared_bytes,
                         q.cooperative,    {}};
    if (!pack(kernel->facts, q.arguments, command.parameters)) return cudaErrorInvalidValue;
    if (use.capture) return capture(use, kernel_call(q, *kernel, std::move(command.parameters)));
    r.connection().post(command);
    return cudaSuccess;
  });
}

}  // namespace roofline::sim::runtime
