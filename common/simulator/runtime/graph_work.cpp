// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/graph_work.h"

#include <algorithm>

#include "simulator/runtime/copy.h"
#include "simulator/runtime/graph_memory.h"
#include "simulator/runtime/kernel_use.h"

namespace roofline::sim::runtime {
namespace {

// The names of the "extra" format in the driver's header, which the runtime's refers to.
void* const kParamEnd = nullptr;
void* const kParamBuffer = reinterpret_cast<void*>(1);
void* const kParamBytes = reinterpret_cast<void*>(2);

/// Arguments given as one buffer that is laid out already.
bool read_extra(void** extra, const std::byte*& buffer, size_t& bytes) {
  for (; *extra != kParamEnd; extra += 2) {
    if (extra[0] == kParamBuffer)
      buffer = static_cast<const std::byte*>(extra[1]);
    else if (extra[0] == kParamBytes)
      bytes = *static_cast<size_t*>(extra[1]);
    else
      return false;
  }
  return buffer;
}

Event* live_event(Runtime& r, cudaEvent_t event) { return event ? r.find_event(event) : nullptr; }

}  // namespace

cudaError_t make_kernel(Runtime& r, const cudaKernelNodeParams& p, const std::vector<KernelAttribute>& kept,
                        Work& work) {
  if (!p.func || (p.kernelParams && p.extra)) return cudaErrorInvalidValue;
  KernelCall call;
  call.attributes = kept;
  std::vector<void*> pointers;
  Kernel* kernel = r.modules.find_kernel(p.func);
  if (!kernel) return no_such_kernel(p.func);
  if (const cudaError_t error = r.modules.resolve(*kernel, r.connection()); error != cudaSuccess)
    return error;
  if (p.extra) {
    const std::byte* buffer = nullptr;
    size_t bytes = 0;
    if (!read_extra(p.extra, buffer, bytes) || bytes < kernel->facts.parameter_bytes)
      return cudaErrorInvalidValue;
    for (const u32 offset : kernel->facts.parameter_offsets)
      pointers.push_back(const_cast<std::byte*>(buffer) + offset);
  }
  const LaunchRequest request{
      p.func,           p.gridDim, p.blockDim,         p.extra ? pointers.data() : p.kernelParams,
      p.sharedMemBytes, nullptr,   call.cooperative(), call.cluster()};
  if (const cudaError_t error = make_kernel_call(r, request, call); error != cudaSuccess) return error;
  work = std::move(call);
  return cudaSuccess;
}

cudaKernelNodeParams parameters_of(const KernelCall& call) {
  call.pointers.clear();
  for (const u32 offset : call.offsets)
    call.pointers.push_back(const_cast<std::byte*>(call.parameters.data()) + offset);
  cudaKernelNodeParams p{};
  p.func = const_cast<void*>(call.function);
  p.gridDim = call.grid;
  p.blockDim = call.block;
  p.sharedMemBytes = static_cast<unsigned>(call.shared_bytes);
  p.kernelParams = call.pointers.data();
  return p;
}

cudaError_t make_copy(const cudaMemcpy3DParms& p, Work& work) {
  if ((!p.srcPtr.ptr && !p.srcArray) || (!p.dstPtr.ptr && !p.dstArray)) return cudaErrorInvalidValue;
  CopyCall call;
  call.given = p;
  if (const cudaError_t error = request_of(Runtime::instance(), p, call.request); error != cudaSuccess)
    return error;
  call.request.async = true;
  if (const cudaError_t error = check(call.request); error != cudaSuccess) return error;
  work = call;
  return cudaSuccess;
}

cudaError_t make_copy_1d(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, Work& work) {
  cudaMemcpy3DParms p{};
  p.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  p.dstPtr = {to, bytes, bytes, 1};
  p.extent = {bytes, 1, 1};
  p.kind = kind;
  return make_copy(p, work);
}

cudaError_t make_symbol_copy(Runtime& r, const void* symbol, void* host_to, const void* host_from,
                             size_t bytes, size_t offset, cudaMemcpyKind kind, Work& work) {
  VariableFacts facts;
  if (const cudaError_t error = r.modules.find_variable(symbol, r.connection(), facts); error != cudaSuccess)
    return error;
  if (offset > facts.bytes || bytes > facts.bytes - offset) return cudaErrorInvalidValue;
  void* const address = reinterpret_cast<void*>(facts.address + offset);
  return make_copy_1d(host_to ? host_to : address, host_from ? host_from : address, bytes, kind, work);
}

cudaError_t make_fill(const cudaMemsetParams& p, Work& work) {
  const bool size = p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4;
  if (!size || !p.dst || p.width == 0 || p.height == 0) return cudaErrorInvalidValue;
  if (!machine_reaches(p.dst) || reinterpret_cast<u64>(p.dst) % p.elementSize) return cudaErrorInvalidValue;
  if (p.height > 1 && (p.pitch < p.width * p.elementSize || p.pitch % p.elementSize))
    return cudaErrorInvalidValue;
  work = FillCall{p};
  return cudaSuccess;
}

cudaError_t make_host(const cudaHostNodeParams& p, Work& work) {
  if (!p.fn) return cudaErrorInvalidValue;
  work = HostCall{p.fn, p.userData};
  return cudaSuccess;
}

cudaError_t make_child(cudaGraph_t child, bool move, Work& work) {
  Graph* const graph = LiveGraphs::instance().find(child);
  if (!graph) return cudaErrorInvalidValue;
  if (move) {
    const auto owned = LiveGraphs::instance().owned.find(graph);
    if (owned == LiveGraphs::instance().owned.end() || graph->capturing) return cudaErrorInvalidValue;
    work = ChildCall{std::move(owned->second)};
    LiveGraphs::instance().owned.erase(owned);
    return cudaSuccess;
  }
  if (graph->has_memory()) return cudaErrorInvalidValue;
  work = ChildCall{graph->clone()};
  return cudaSuccess;
}

cudaError_t make_wait(Runtime& r, cudaEvent_t event, Work& work) {
  const Event* found = live_event(r, event);
  if (!found) return cudaErrorInvalidValue;
  work = WaitCall{event, found->id};
  return cudaSuccess;
}

cudaError_t make_record(Runtime& r, cudaEvent_t event, Work& work) {
  const Event* found = live_event(r, event);
  if (!found) return cudaErrorInvalidValue;
  work = RecordCall{event, found->id};
  return cudaSuccess;
}

cudaError_t make_allocation(Runtime& r, cudaMemAllocNodeParams& p, Work& work) {
  const auto& properties = p.poolProps;
  if (properties.allocType != cudaMemAllocationTypePinned || p.bytesize == 0 ||
      properties.location.type != cudaMemLocationTypeDevice ||
      properties.handleTypes != cudaMemHandleTypeNone)
    return cudaErrorInvalidValue;
  AllocateCall call;
  if (const cudaError_t error = make_graph_memory(r, p.bytesize, call.memory); error != cudaSuccess)
    return error;
  p.dptr = reinterpret_cast<void*>(call.memory->address);
  call.parameters = p;
  call.parameters.accessDescs = nullptr;  // the program's array need not outlive the call
  call.parameters.accessDescCount = 0;
  work = std::move(call);
  return cudaSuccess;
}

cudaError_t make_free(void* pointer, Work& work) {
  auto memory = find_graph_memory(pointer);
  if (!memory || memory->freed_in_graph) return cudaErrorInvalidValue;
  memory->freed_in_graph = true;
  work = FreeCall{std::move(memory)};
  return cudaSuccess;
}

cudaError_t make_work(Runtime& r, cudaGraphNodeParams& p, const Work* present, Work& work) {
  const auto* kernel = present ? std::get_if<KernelCall>(present) : nullptr;
  switch (p.type) {
    case cudaGraphNodeTypeKernel: {
      const auto& k = p.kernel;
      return make_kernel(r, {k.func, k.gridDim, k.blockDim, k.sharedMemBytes, k.kernelParams, k.extra},
                         kernel ? kernel->attributes : std::vector<KernelAttribute>{}, work);
    }
    case cudaGraphNodeTypeMemcpy:
      return p.memcpy.flags ? cudaErrorInvalidValue : make_copy(p.memcpy.copyParams, work);
    case cudaGraphNodeTypeMemset: {
      const auto& m = p.memset;
      return make_fill({m.dst, m.pitch, m.value, m.elementSize, m.width, m.height}, work);
    }
    case cudaGraphNodeTypeHost:
      return make_host({p.host.fn, p.host.userData}, work);
    case cudaGraphNodeTypeGraph:
      return make_child(p.graph.graph, p.graph.ownership == cudaGraphChildGraphOwnershipMove, work);
    case cudaGraphNodeTypeEmpty:
      work = EmptyCall{};
      return cudaSuccess;
    case cudaGraphNodeTypeWaitEvent:
      return make_wait(r, p.eventWait.event, work);
    case cudaGraphNodeTypeEventRecord:
      return make_record(r, p.eventRecord.event, work);
    case cudaGraphNodeTypeMemAlloc: {
      auto& a = p.alloc;
      if (present) return cudaErrorNotSupported;
      cudaMemAllocNodeParams mine{a.poolProps, a.accessDescs, a.accessDescCount, a.bytesize, nullptr};
      const cudaError_t error = make_allocation(r, mine, work);
      a.dptr = mine.dptr;
      return error;
    }
    case cudaGraphNodeTypeMemFree:
      return present ? cudaErrorNotSupported : make_free(p.free.dptr, work);
    case cudaGraphNodeTypeConditional:
      return present ? cudaErrorNotSupported : make_conditional(p.conditional, work);
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
      return cudaErrorNotSupported;
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace roofline::sim::runtime
