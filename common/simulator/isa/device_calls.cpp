// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/isa/device_calls.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

#include "simulator/isa/builtin_call.h"
#include "simulator/machine/device_runtime.h"
#include "simulator/machine/memory.h"
#include "simulator/machine/observer.h"
#include "simulator/names.h"
#include "simulator/program/address_windows.h"
#include "simulator/timing/device_attributes.h"

/// The CUDA runtime on the device (dynamic parallelism, second interface): `child<<<...>>>` in a kernel is a
/// call of GetParameterBufferV2, stores of the arguments to the memory that it gives, and LaunchDeviceV2.
namespace roofline::sim::isa {

namespace {

constexpr std::string_view kPrefix = "__cudaCDP2";
constexpr int kRuntimeVersion = 13000;

/// One call of one lane.
struct Call {
  Warp& w;
  const Instruction& in;
  const CallSite& site;
  u32 lane;
  DeviceRuntime& runtime;

  template <class T = u64>
  T argument(std::size_t i) const {
    return isa::argument<T>(w, site, i, lane);
  }
  u64 block() const { return w.block->linear_id; }
  u32 thread() const { return w.index * static_cast<u32>(kWarpSize) + lane; }
  std::string name() const { return "cuda" + site.name.substr(kPrefix.size()); }

  /// Stores an answer where argument `i` points to.
  template <class T>
  void store(std::size_t i, T value) const {
    store_at(argument(i), value);
  }
  template <class T>
  void store_at(u64 address, T value) const {
    std::memcpy(lane_pointer(w, in, lane, address, sizeof value, AccessKind::kStore), &value, sizeof value);
    Observer* observer = w.block->observer;
    if (observer == nullptr || !observer->sees_accesses || space_of(address) != ptx::Space::kGlobal) return;
    const AddressPattern pattern{};  // one lane
    ObservedAccess seen;
    seen.kind = AccessKind::kStore;
    seen.mask = 1u << lane;
    seen.width = sizeof value;
    seen.base = address;
    seen.pattern = &pattern;
    observer->access(w, in, seen);
  }
  [[noreturn]] void stop(const std::string& why) const { w.trap(TrapKind::kTrap, lane, in, why); }
};

/// A call that gives a cudaError_t, which the thread also remembers.
template <DeviceError (*Do)(const Call&)>
void checked(Warp& w, const Instruction& in) {
  const CallSite& site = site_of_builtin(in);
  each_active(w, [&](u32 lane) {
    const Call call{w, in, site, lane, *w.block->grid->runtime};
    const DeviceError error = Do(call);
    call.runtime.set_error(call.block(), call.thread(), error);
    give_result(w, site, lane, static_cast<u64>(error));
  });
}

/// A call that gives something else.
template <u64 (*Do)(const Call&)>
void valued(Warp& w, const Instruction& in) {
  const CallSite& site = site_of_builtin(in);
  each_active(w, [&](u32 lane) {
    give_result(w, site, lane, Do({w, in, site, lane, *w.block->grid->runtime}));
  });
}

// ---- launches ----

/// void* (void* kernel, dim3 grid, dim3 block, unsigned shared_bytes): null when the launch cannot be.
u64 get_parameter_buffer(const Call& c) {
  const auto [address, error] =
      c.runtime.prepare(c.argument(0), c.argument<Dim3>(1), c.argument<Dim3>(2), c.argument<u32>(3));
  c.runtime.set_error(c.block(), c.thread(), error);
  return address;
}

/// A child has shared and local memory of its own, so an address of its parent's is never what was meant.
void refuse_own_memory(const Call& c, const Kernel& kernel, u64 buffer) {
  const Block& block = *c.w.block;
  const auto is_in = [](u64 address, u64 begin, u64 bytes) { return address - begin < bytes; };
  const auto& parameters = kernel.entry().source->parameters;
  for (std::size_t i = 0; i < std::min(parameters.size(), kernel.parameter_offsets.size()); ++i) {
    const ptx::Variable& parameter = parameters[i];
    if (parameter.is_array || parameter.bytes != sizeof(u64) ||
        parameter.type.kind == ptx::Type::Kind::kFloat)
      continue;
    u64 value = 0;
    std::memcpy(&value, reinterpret_cast<const u8*>(buffer) + kernel.parameter_offsets[i], sizeof value);
    const bool shared = is_in(value, kSharedWindow, block.shared_bytes);
    if (shared || is_in(value, kLocalWindow, block.local_bytes))
      c.stop("argument " + std::to_string(i + 1) + " of the launch of '" + readable_name(kernel.name) +
             "' is an address of " + (shared ? "shared" : "local") +
             " memory, which the new kernel cannot see: pass an address of global memory");
  }
}

/// cudaError_t (void* parameters, cudaStream_t stream)
DeviceError launch_device(const Call& c) {
  const u64 buffer = c.argument(0);
  const Kernel* kernel = c.runtime.prepared(buffer);
  if (kernel != nullptr) refuse_own_memory(c, *kernel, buffer);
  return c.runtime.launch(buffer, c.argument(1), c.block());
}

// ---- copies and fills ----

bool is_global(u64 address) { return space_of(address) == ptx::Space::kGlobal; }

// CUDA's structures, as kernels hold them.
struct PitchedPointer {
  u64 address, pitch, row_bytes, rows;
};
struct Position {
  u64 x, y, z;
};
struct Extent {
  u64 width, height, depth;
};
struct CopyOfVolume {  // cudaMemcpy3DParms
  u64 from_array;
  Position from_at;
  PitchedPointer from;
  u64 to_array;
  Position to_at;
  PitchedPointer to;
  Extent extent;
  u32 kind;
};

DeviceWork::Side side_of(const PitchedPointer& p, const Position& at) {
  const u64 slice = p.pitch * p.rows;
  return {p.address + at.z * slice + at.y * p.pitch + at.x, p.pitch, slice};
}

/// Bytes from the first to the last of one side; nothing when they do not fit 64 bits or rows overlap.
std::optional<u64> span_of(const DeviceWork& work, const DeviceWork::Side& side) {
  u64 rows = 0, slices = 0, span = 0;
  if ((work.rows > 1 && side.pitch < work.bytes) ||
      (work.slices > 1 && side.slice / work.rows < side.pitch) ||
      __builtin_mul_overflow(side.pitch, work.rows - 1, &rows) ||
      __builtin_mul_overflow(side.slice, work.slices - 1, &slices) ||
      __builtin_add_overflow(rows, slices, &span) || __builtin_add_overflow(span, work.bytes, &span))
    return std::nullopt;
  return span;
}

/// A copy or a fill whose memory is all there.
DeviceError submit(const Call& c, DeviceWork work, u64 stream) {
  const bool copies = work.kind == DeviceWork::Kind::kCopy;
  if (work.bytes == 0 || work.rows == 0 || work.slices == 0) return DeviceError::kNone;
  const auto to = span_of(work, work.to);
  const auto from = copies ? span_of(work, work.from) : 0;
  if (!is_global(work.to.address) || (copies && !is_global(work.from.address)) || !to || !from)
    return DeviceError::kInvalidValue;
  if (copies) lane_pointer(c.w, c.in, c.lane, work.from.address, *from, AccessKind::kLoad);
  lane_pointer(c.w, c.in, c.lane, work.to.address, *to, AccessKind::kStore);
  return c.runtime.enqueue(std::move(work), stream, c.block());
}

DeviceError submit_copy(const Call& c, DeviceWork work, u32 kind, u64 stream) {
  constexpr u32 kDeviceToDevice = 3, kDefault = 4;
  if (kind != kDeviceToDevice && kind != kDefault) return DeviceError::kInvalidValue;
  work.kind = DeviceWork::Kind::kCopy;
  return submit(c, std::move(work), stream);
}

DeviceError submit_fill(const Call& c, DeviceWork work, u32 value, u64 stream) {
  work.kind = DeviceWork::Kind::kFill;
  work.value = static_cast<u8>(value);
  return submit(c, std::move(work), stream);
}

/// cudaError_t (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
DeviceError memcpy_async(const Call& c) {
  DeviceWork work;
  work.to.address = c.argument(0);
  work.from.address = c.argument(1);
  work.bytes = c.argument(2);
  return submit_copy(c, std::move(work), c.argument<u32>(3), c.argument(4));
}

/// cudaError_t (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
/// cudaMemcpyKind kind, cudaStream_t stream)
DeviceError memcpy_2d_async(const Call& c) {
  DeviceWork work;
  work.to = {c.argument(0), c.argument(1), 0};
  work.from = {c.argument(2), c.argument(3), 0};
  work.bytes = c.argument(4);
  work.rows = c.argument(5);
  return submit_copy(c, std::move(work), c.argument<u32>(6), c.argument(7));
}

/// cudaError_t (const cudaMemcpy3DParms* parameters, cudaStream_t stream)
DeviceError memcpy_3d_async(const Call& c) {
  CopyOfVolume p;
  std::memcpy(&p, lane_pointer(c.w, c.in, c.lane, c.argument(0), sizeof p, AccessKind::kLoad), sizeof p);
  if (p.from_array != 0 || p.to_array != 0) c.stop(c.name() + "() in a kernel copies no CUDA arrays");
  DeviceWork work;
  work.to = side_of(p.to, p.to_at);
  work.from = side_of(p.from, p.from_at);
  work.bytes = p.extent.width;
  work.rows = p.extent.height;
  work.slices = p.extent.depth;
  return submit_copy(c, std::move(work), p.kind, c.argument(1));
}

/// cudaError_t (void* to, int value, size_t bytes, cudaStream_t stream)
DeviceError memset_async(const Call& c) {
  DeviceWork work;
  work.to.address = c.argument(0);
  work.bytes = c.argument(2);
  return submit_fill(c, std::move(work), c.argument<u32>(1), c.argument(3));
}

/// cudaError_t (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)
DeviceError memset_2d_async(const Call& c) {
  DeviceWork work;
  work.to = {c.argument(0), c.argument(1), 0};
  work.bytes = c.argument(3);
  work.rows = c.argument(4);
  return submit_fill(c, std::move(work), c.argument<u32>(2), c.argument(5));
}

/// cudaError_t (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream)
DeviceError memset_3d_async(const Call& c) {
  const auto extent = c.argument<Extent>(2);
  DeviceWork work;
  work.to = side_of(c.argument<PitchedPointer>(0), {});
  work.bytes = extent.width;
  work.rows = extent.height;
  work.slices = extent.depth;
  return submit_fill(c, std::move(work), c.argument<u32>(1), c.argument(3));
}

// ---- streams and events ----

/// cudaError_t (cudaStream_t* stream, unsigned flags): streams of a kernel never wait for its default one.
DeviceError create_stream(const Call& c) {
  constexpr u32 kNonBlocking = 1;
  if (c.argument<u32>(1) != kNonBlocking) return DeviceError::kInvalidValue;
  c.store(0, c.runtime.create_stream());
  return DeviceError::kNone;
}
DeviceError destroy_stream(const Call& c) { return c.runtime.destroy_stream(c.argument(0)); }

/// cudaError_t (cudaEvent_t* event, unsigned flags): events of a kernel measure no time.
DeviceError create_event(const Call& c) {
  constexpr u32 kDisableTiming = 2;
  if (c.argument<u32>(1) != kDisableTiming) return DeviceError::kInvalidValue;
  c.store(0, c.runtime.create_event());
  return DeviceError::kNone;
}
DeviceError destroy_event(const Call& c) { return c.runtime.destroy_event(c.argument(0)); }
DeviceError record_event(const Call& c) {
  return c.runtime.record_event(c.argument(0), c.argument(1), c.block());
}
DeviceError wait_event(const Call& c) {
  return c.runtime.wait_event(c.argument(0), c.argument(1), c.block());
}

// ---- memory ----

/// cudaError_t (void** pointer, size_t bytes): from the heap of malloc.
DeviceError allocate_memory(const Call& c) {
  const u64 bytes = c.argument(1);
  const u64 address = bytes == 0 ? 0 : c.w.block->allocate_on_heap(bytes, "cudaMalloc in a kernel");
  c.store(0, address);
  return address == 0 && bytes != 0 ? DeviceError::kMemoryAllocation : DeviceError::kNone;
}

DeviceError free_memory(const Call& c) {
  const u64 address = c.argument(0);
  if (address != 0 && !c.w.block->release_on_heap(address))
    c.w.trap(TrapKind::kIllegalAddress, c.lane, c.in,
             "cudaFree() in a kernel of something that cudaMalloc() did not return in a kernel, or of memory "
             "freed before: " +
                 c.w.block->grid->memory->explain(address, 1),
             AddressFault::kFreed);
  return DeviceError::kNone;
}

// ---- questions ----

u64 last_error(const Call& c) { return static_cast<u64>(c.runtime.take_error(c.block(), c.thread())); }
u64 peek_error(const Call& c) { return static_cast<u64>(c.runtime.error_of(c.block(), c.thread())); }

/// Name and text of an error that calls in a kernel give.
std::pair<const char*, const char*> texts_of(DeviceError error) {
  switch (error) {
    case DeviceError::kNone:
      return {"cudaSuccess", "no error"};
    case DeviceError::kInvalidValue:
      return {"cudaErrorInvalidValue", "invalid argument"};
    case DeviceError::kMemoryAllocation:
      return {"cudaErrorMemoryAllocation", "out of memory"};
    case DeviceError::kInvalidConfiguration:
      return {"cudaErrorInvalidConfiguration", "invalid configuration argument"};
    case DeviceError::kLaunchPendingCountExceeded:
      return {"cudaErrorLaunchPendingCountExceeded",
              "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"};
    case DeviceError::kInvalidDeviceFunction:
      return {"cudaErrorInvalidDeviceFunction", "invalid device function"};
    case DeviceError::kInvalidDevice:
      return {"cudaErrorInvalidDevice", "invalid device ordinal"};
    case DeviceError::kInvalidResourceHandle:
      return {"cudaErrorInvalidResourceHandle", "invalid resource handle"};
  }
  return {"unrecognized error code", "unrecognized error code"};
}

u64 error_name(const Call& c) {
  return c.runtime.text(texts_of(static_cast<DeviceError>(c.argument<u32>(0))).first);
}
u64 error_string(const Call& c) {
  return c.runtime.text(texts_of(static_cast<DeviceError>(c.argument<u32>(0))).second);
}

DeviceError get_device(const Call& c) {
  c.store(0, window_of(c.w.block->grid->memory->window()));
  return DeviceError::kNone;
}

DeviceError get_device_count(const Call& c) {
  c.store(0, c.runtime.kernels().gpus());
  return DeviceError::kNone;
}

DeviceError runtime_version(const Call& c) {
  c.store(0, kRuntimeVersion);
  return DeviceError::kNone;
}

/// cudaError_t (size_t* value, cudaLimit limit)
DeviceError get_limit(const Call& c) {
  constexpr u32 kStack = 0, kHeap = 2, kPendingLaunches = 4;
  const Grid& grid = *c.w.block->grid;
  switch (c.argument<u32>(1)) {
    case kStack:
      c.store(0, grid.stack_bytes);
      return DeviceError::kNone;
    case kHeap:
      c.store(0, grid.memory->heap_limit());
      return DeviceError::kNone;
    case kPendingLaunches:
      c.store(0, c.runtime.limit());
      return DeviceError::kNone;
    default:
      return DeviceError::kInvalidValue;
  }
}

/// cudaError_t (int* value, cudaDeviceAttr attribute, int device), as on the host.
DeviceError get_attribute(const Call& c) {
  const u32 attribute = c.argument<u32>(1), gpu = c.argument<u32>(2);
  if (attribute == 0 || attribute >= kDeviceAttributes) return DeviceError::kInvalidValue;
  if (gpu >= c.runtime.kernels().gpus()) return DeviceError::kInvalidDevice;
  if (attribute == kPoolHandleTypes || attribute == kIpcEvents)
    c.stop(c.name() + "() in a kernel does not know attribute " + std::to_string(attribute) +
           " on the simulated GPU: ask for it on the host and pass it to the kernel");
  // All GPUs of a program are of one kind.
  c.store(0, static_cast<u32>(attributes_of(*c.w.block->grid->device, gpu)[attribute]));
  return DeviceError::kNone;
}

/// cudaError_t (int* blocks, const void* kernel, int block_size, size_t dynamic_shared_bytes, ...)
DeviceError get_occupancy(const Call& c) {
  const auto found = c.runtime.kernels().kernel_at(c.argument(1));
  if (!found) return DeviceError::kInvalidDeviceFunction;
  const u32 threads = c.argument<u32>(2);
  if (threads == 0 || threads > c.w.block->grid->device->max_threads_per_block)
    return DeviceError::kInvalidValue;
  c.store(0, c.runtime.kernels().blocks_per_sm(found->id, {threads, 1, 1}, c.argument(3)));
  return DeviceError::kNone;
}

struct KernelAttributes {  // cudaFuncAttributes
  u64 shared_bytes, constant_bytes, local_bytes;
  u32 max_threads, registers, ptx_version, binary_version, caches_loads, max_dynamic_shared;
  s32 carveout;
  u32 must_set_cluster;
  Dim3 cluster;
  u32 cluster_policy, non_portable_cluster;
  u32 reserved[16];
};
static_assert(sizeof(KernelAttributes) == 144);

/// cudaError_t (cudaFuncAttributes* attributes, const void* kernel): as the host sees them. What the host set
/// for a kernel beyond its dynamic shared memory is not known here: such hints change nothing.
DeviceError get_function_attributes(const Call& c) {
  const auto found = c.runtime.kernels().kernel_at(c.argument(1));
  if (!found) return DeviceError::kInvalidDeviceFunction;
  const DeviceDescription& d = *c.w.block->grid->device;
  const KernelResources& r = found->kernel->resources;
  KernelAttributes made{};
  made.shared_bytes = r.static_shared_bytes;
  made.local_bytes = r.local_bytes;
  made.max_threads = most_threads(d, r.registers);
  if (r.max_threads != 0) made.max_threads = std::min(made.max_threads, r.max_threads);
  made.registers = r.registers;
  made.ptx_version = c.runtime.kernels().target_of(found->id);
  made.binary_version = d.compute_major * 10 + d.compute_minor;
  made.caches_loads = 1;
  const u64 usual = d.shared_per_block - std::min<u64>(d.shared_per_block, r.static_shared_bytes);
  made.max_dynamic_shared = static_cast<u32>(std::max(usual, found->kernel->max_dynamic_shared));
  made.carveout = -1;
  made.cluster = found->kernel->cluster;
  // In words, as the checks know accesses.
  u64 words[sizeof made / sizeof(u64)];
  std::memcpy(words, &made, sizeof made);
  for (std::size_t i = 0; i < std::size(words); ++i) c.store_at(c.argument(0) + i * sizeof(u64), words[i]);
  return DeviceError::kNone;
}

u64 missing(const Call& c) { c.stop(c.name() + "() in a kernel is missing in the simulated GPU"); }

}  // namespace

bool is_device_call(std::string_view name) { return name.starts_with(kPrefix); }

Execute device_call(std::string_view name) {
  if (!is_device_call(name)) return nullptr;
  name.remove_prefix(kPrefix.size());
  // Compiled for a default stream of each thread (_ptsz): the block's stream keeps more order than is asked.
  if (name.ends_with("_ptsz")) name.remove_suffix(5);
  if (name == "GetParameterBufferV2") return valued<get_parameter_buffer>;
  if (name == "LaunchDeviceV2") return checked<launch_device>;
  if (name == "MemcpyAsync") return checked<memcpy_async>;
  if (name == "Memcpy2DAsync") return checked<memcpy_2d_async>;
  if (name == "Memcpy3DAsync") return checked<memcpy_3d_async>;
  if (name == "MemsetAsync") return checked<memset_async>;
  if (name == "Memset2DAsync") return checked<memset_2d_async>;
  if (name == "Memset3DAsync") return checked<memset_3d_async>;
  if (name == "StreamCreateWithFlags") return checked<create_stream>;
  if (name == "StreamDestroy") return checked<destroy_stream>;
  if (name == "StreamWaitEvent") return checked<wait_event>;
  if (name == "EventCreateWithFlags") return checked<create_event>;
  if (name == "EventDestroy") return checked<destroy_event>;
  if (name == "EventRecord" || name == "EventRecordWithFlags") return checked<record_event>;
  if (name == "Malloc") return checked<allocate_memory>;
  if (name == "Free") return checked<free_memory>;
  if (name == "GetLastError") return valued<last_error>;
  if (name == "PeekAtLastError") return valued<peek_error>;
  if (name == "GetErrorName") return valued<error_name>;
  if (name == "GetErrorString") return valued<error_string>;
  if (name == "GetDevice") return checked<get_device>;
  if (name == "GetDeviceCount") return checked<get_device_count>;
  if (name == "FuncGetAttributes") return checked<get_function_attributes>;
  if (name == "RuntimeGetVersion") return checked<runtime_version>;
  if (name == "DeviceGetLimit") return checked<get_limit>;
  if (name == "DeviceGetAttribute") return checked<get_attribute>;
  if (name == "OccupancyMaxActiveBlocksPerMultiprocessor" ||
      name == "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
    return checked<get_occupancy>;
  return valued<missing>;
}

}  // namespace roofline::sim::isa
