// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/launch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "simulator/names.h"
#include "simulator/runtime/capture.h"
#include "simulator/runtime/kernel_use.h"
#include "simulator/runtime/launch_attributes.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::runtime {

using namespace channel;

namespace {

constexpr u32 kMaxGridX = 0x7fffffff, kMaxGridYZ = 65535, kMaxBlockXY = 1024, kMaxBlockZ = 64;

bool within(dim3 d, u32 x, u32 y, u32 z) {
  return d.x >= 1 && d.y >= 1 && d.z >= 1 && d.x <= x && d.y <= y && d.z <= z;
}

std::string text_of(dim3 d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

constexpr const char* kOrder = "<<<blocks, threads, bytes of shared memory, stream>>>";

/// What is wrong with the extents of a launch, and what to do; empty when nothing is.
std::string problem_of_extents(const LaunchRequest& q, const DeviceDescription& device) {
  const auto is_empty = [](dim3 d) { return d.x == 0 || d.y == 0 || d.z == 0; };
  if (is_empty(q.grid))
    return "the grid " + text_of(q.grid) +
           " has no blocks. Count them as (n + threads - 1) / threads, so that a part of a block counts, "
           "too; for an "
           "empty input, return before the launch";
  if (is_empty(q.block)) return "the block " + text_of(q.block) + " has no threads";
  if (!within(q.grid, kMaxGridX, kMaxGridYZ, kMaxGridYZ))
    return "the grid " + text_of(q.grid) + " is larger than " + text_of({kMaxGridX, kMaxGridYZ, kMaxGridYZ}) +
           ". Take more elements a block, or let blocks go on in a loop";
  if (const u64 threads = extent(q.block).count(); threads > device.max_threads_per_block)
    return "the block " + text_of(q.block) + " has " + std::to_string(threads) + " threads, and " +
           std::to_string(device.max_threads_per_block) +
           " are the most. Are blocks and threads exchanged? " + kOrder;
  if (!within(q.block, kMaxBlockXY, kMaxBlockXY, kMaxBlockZ))
    return "the block " + text_of(q.block) + " is larger than " +
           text_of({kMaxBlockXY, kMaxBlockXY, kMaxBlockZ});
  return {};
}

/// Why so many threads of this kernel are no block; empty where they are one.
std::string problem_of_threads(u64 threads, const Kernel& kernel, const DeviceDescription& device) {
  const KernelResources& compiled = kernel.facts.resources;
  if (compiled.max_threads != 0 && threads > compiled.max_threads)
    return "the block has " + std::to_string(threads) +
           " threads, and __launch_bounds__ of the kernel says " + std::to_string(compiled.max_threads) +
           " at most. Say there how many threads the launch gives a block";
  // An estimate refuses no launch.
  const u32 most =
      compiled.registers_estimated ? device.max_threads_per_block : most_threads(device, compiled.registers);
  if (threads > most)
    return "the block has " + std::to_string(threads) + " threads with " +
           std::to_string(compiled.registers) + " registers each, and an SM has registers for " +
           std::to_string(most) + ". Launch fewer threads, or put __launch_bounds__(threads) on the kernel";
  return {};
}

/// Why so much dynamic shared memory is not to be had.
std::string problem_of_shared_memory(u64 bytes, u64 fixed, u64 limit, const DeviceDescription& device) {
  const std::string problem = std::to_string(bytes) + " bytes of dynamic shared memory are asked for, and " +
                              std::to_string(limit) + " are allowed at present";
  if (bytes > (u64{1} << 20)) return problem + ". Is that a stream? " + kOrder;
  if (bytes + fixed > device.shared_per_block_optin)
    return problem + ". An SM has no more than " + std::to_string(device.shared_per_block_optin) +
           " for a block" +
           (fixed != 0 ? ", and the kernel's own arrays take " + std::to_string(fixed) : "") +
           ": use smaller tiles, or fewer of them";
  return problem +
         ". More than that has to be asked for: cudaFuncSetAttribute(kernel, "
         "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)";
}

/// The error says only that an argument is invalid, or a block too large; the first refused launch of a
/// program is explained.
void explain_once(const Kernel& kernel, const std::string& problem) {
  static std::atomic<bool> said = false;
  if (!said.exchange(true)) say("the launch of " + readable_name(kernel.name) + " is refused: " + problem);
}

cudaError_t check(const LaunchRequest& q, const Kernel& kernel, const DeviceDescription& device) {
  if (const std::string problem = problem_of_extents(q, device); !problem.empty()) {
    explain_once(kernel, problem);
    return cudaErrorInvalidValue;
  }
  if (const u64 limit = dynamic_shared_limit(kernel, device); q.dynamic_shared_bytes > limit) {
    explain_once(kernel, problem_of_shared_memory(q.dynamic_shared_bytes,
                                                  kernel.facts.resources.static_shared_bytes, limit, device));
    return cudaErrorInvalidValue;
  }
  if (const std::string problem = problem_of_threads(extent(q.block).count(), kernel, device);
      !problem.empty()) {
    explain_once(kernel, problem);
    return cudaErrorLaunchOutOfResources;
  }
  return cudaSuccess;
}

/// The cluster that the launch asks for, else the one that the kernel was compiled with.
cudaError_t check_cluster(const LaunchRequest& q, const Kernel& kernel, const DeviceDescription& device) {
  const Dim3 compiled = kernel.facts.cluster;
  const Dim3 cluster = q.cluster.x != 0 ? extent(q.cluster) : compiled;
  if (cluster.count() <= 1) return cudaSuccess;
  const u32 limit = kernel.non_portable_cluster ? kLargestCluster : kPortableCluster;
  if (!has_clusters(device)) return cudaErrorNotSupported;
  const bool differs = cluster.x != compiled.x || cluster.y != compiled.y || cluster.z != compiled.z;
  if (cluster.count() > limit || q.grid.x % cluster.x || q.grid.y % cluster.y || q.grid.z % cluster.z ||
      (compiled.count() != 0 && differs))
    return cudaErrorInvalidClusterSize;
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

/// Everything that is wrong with a launch before it happens; packs its arguments.
cudaError_t prepare(Runtime& r, const LaunchRequest& q, Kernel*& kernel, std::vector<std::byte>& packed) {
  kernel = r.modules.find_kernel(q.function);
  if (!kernel) return no_such_kernel(q.function);
  if (const cudaError_t error = r.modules.resolve(*kernel, r.connection()); error != cudaSuccess)
    return error;
  if (const cudaError_t error = check(q, *kernel, r.device()); error != cudaSuccess) return error;
  if (const cudaError_t error = check_cluster(q, *kernel, r.device()); error != cudaSuccess) return error;
  if (q.cooperative) {
    u32 blocks = 0;
    if (const cudaError_t error = blocks_per_sm(r, *kernel, q.block, q.dynamic_shared_bytes, blocks);
        error != cudaSuccess)
      return error;
    if (extent(q.grid).count() > u64{blocks} * r.device().sms) return cudaErrorCooperativeLaunchTooLarge;
  }
  return pack(kernel->facts, q.arguments, packed) ? cudaSuccess : cudaErrorInvalidValue;
}

/// A kernel that waits for what comes after it: what follows in its stream is queued, and while kernels are
/// watched all that follows.
cudaError_t await_kernel(Runtime& r, StreamUse& use) {
  const auto ask = [command = AwaitKernel{use.id}](Connection& connection, bool& over) {
    channel::KernelState state;
    const Status status = connection.call(command, state);
    over = state.ended;
    return status;
  };
  StreamUse wait = use;
  wait.place.alone = r.connection().observed();
  const cudaError_t error = await(r, wait, ask);
  use.pending = wait.pending;
  return error;
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

cudaError_t make_kernel_call(Runtime& r, const LaunchRequest& q, KernelCall& call) {
  Kernel* kernel = nullptr;
  std::vector<std::byte> packed;
  if (const cudaError_t error = prepare(r, q, kernel, packed); error != cudaSuccess) return error;
  if (!kernel->facts.problem.empty()) {
    say(kernel->facts.problem);
    return cudaErrorInvalidPtx;
  }
  call.function = r.modules.stub_of(*kernel);
  if (!call.function) call.function = q.function;
  call.grid = q.grid;
  call.block = q.block;
  call.shared_bytes = q.dynamic_shared_bytes;
  call.parameters = std::move(packed);
  call.offsets = kernel->facts.parameter_offsets;
  if (q.cooperative && !call.cooperative()) {
    KernelAttribute cooperative{cudaLaunchAttributeCooperative, {}};
    cooperative.value.cooperative = 1;
    call.attributes.push_back(cooperative);
  }
  const int priority = q.priority.value_or(priority_of(r, q.stream));
  if (priority != kLeastPriority && call.priority() == kLeastPriority) {
    KernelAttribute urgent{cudaLaunchAttributePriority, {}};
    urgent.value.priority = priority;
    call.attributes.push_back(urgent);
  }
  if (q.cluster.x && !call.cluster().x) {
    KernelAttribute cluster{cudaLaunchAttributeClusterDimension, {}};
    cluster.value.clusterDim = {q.cluster.x, q.cluster.y, q.cluster.z};
    call.attributes.push_back(cluster);
  }
  return cudaSuccess;
}

cudaError_t launch(const LaunchRequest& q) {
  return api([&](Runtime& r) {
    // A kernel runs on the thread's device; its stream must be one of that device.
    if (const Stream* stream = r.find_stream(q.stream); stream && stream->device != r.target())
      return cudaErrorInvalidResourceHandle;
    StreamUse use = queue_on(r, q.stream);
    if (use.error != cudaSuccess) return use.error;
    if (use.capture) {
      KernelCall call;
      const cudaError_t error = make_kernel_call(r, q, call);
      return error == cudaSuccess ? capture(use, std::move(call)) : error;
    }
    Kernel* kernel = nullptr;
    LaunchKernel command{0, use.id, extent(q.grid), extent(q.block), q.dynamic_shared_bytes, q.cooperative,
                         {}};
    if (const cudaError_t error = prepare(r, q, kernel, command.parameters); error != cudaSuccess) {
      r.connection().post(ReportRefusal{});
      if (kernel) r.refused_kernel = kernel->name;
      return error;
    }
    command.function = kernel->facts.id;
    command.cluster = extent(q.cluster);
    command.priority = q.priority.value_or(priority_of(r, q.stream));
    if (!kernel->facts.problem.empty()) {
      r.connection().post(command);
      // The machine refuses it, and tells why where a judge can read it. It is asked at once, so that the
      // launch itself fails: a real driver compiles PTX at first use, which this is.
      StreamState ignored;
      return to_cuda(r.connection().call(QueryStream{use.id}, ignored));
    }
    const auto post = [](const auto& what) {
      return [what](Runtime& runtime) {
        runtime.connection().post(what);
        return cudaSuccess;
      };
    };
    cudaError_t error = send(r, use, post(command));
    if (error == cudaSuccess && kernel->facts.may_wait) error = await_kernel(r, use);
    for (const cudaEvent_t event : q.recorded)
      if (Event* found = event ? r.find_event(event) : nullptr) {
        (void)send(r, use, post(RecordEvent{found->id, command.stream}), &found->queued);
        found->recorded = true;
      }
    return error;
  });
}

}  // namespace roofline::sim::runtime
