// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "worker/live_objects.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <mutex>
#include <set>
#include <vector>

namespace roofline::worker {
namespace {

/// Handles rather than counts: some calls of the runtime are made of others, and a graph that a capture
/// extends is handed out twice.
struct Handles {
  std::mutex lock;
  std::set<const void*> streams, events, graphs, executable_graphs, device_memory, host_memory;
};

Handles& handles() {
  static Handles all;
  return all;
}

using Kind = std::set<const void*> Handles::*;

/// The function of this name in the library that is loaded after the program.
template <class Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

template <class Handle>
cudaError_t made(Kind kind, cudaError_t error, const Handle* handle) {
  if (error != cudaSuccess || handle == nullptr || *handle == nullptr) return error;
  const std::lock_guard guard(handles().lock);
  (handles().*kind).insert(*handle);
  return error;
}

cudaError_t destroyed(Kind kind, cudaError_t error, const void* handle) {
  if (error != cudaSuccess) return error;
  const std::lock_guard guard(handles().lock);
  (handles().*kind).erase(handle);
  return error;
}

void count(std::vector<std::string>& words, int more, const char* noun) {
  if (more > 0) words.push_back(std::to_string(more) + " " + noun + (more == 1 ? "" : "s"));
}

}  // namespace

LiveObjects live_objects() {
  const std::lock_guard guard(handles().lock);
  const auto size = [](const auto& set) { return static_cast<int>(set.size()); };
  return {size(handles().streams),           size(handles().events),        size(handles().graphs),
          size(handles().executable_graphs), size(handles().device_memory), size(handles().host_memory)};
}

std::string left_alive(const LiveObjects& before, const LiveObjects& now) {
  std::vector<std::string> words;
  count(words, now.executable_graphs - before.executable_graphs, "executable graph");
  count(words, now.graphs - before.graphs, "graph");
  count(words, now.streams - before.streams, "stream");
  count(words, now.events - before.events, "event");
  count(words, now.device_memory - before.device_memory, "device allocation");
  count(words, now.host_memory - before.host_memory, "pinned allocation");
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

}  // namespace roofline::worker

using roofline::worker::destroyed;
using roofline::worker::Handles;
using roofline::worker::made;
using roofline::worker::next;

// Weak: a test may bring a runtime of its own.
#define NEXT(function) next(function, #function)
#define ROOFLINE_WEAK extern "C" __attribute__((weak))

ROOFLINE_WEAK cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return made(&Handles::streams, NEXT(cudaStreamCreate)(stream), stream);
}
ROOFLINE_WEAK cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return made(&Handles::streams, NEXT(cudaStreamCreateWithFlags)(stream, flags), stream);
}
ROOFLINE_WEAK cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags,
                                                       int priority) {
  return made(&Handles::streams, NEXT(cudaStreamCreateWithPriority)(stream, flags, priority), stream);
}
ROOFLINE_WEAK cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return destroyed(&Handles::streams, NEXT(cudaStreamDestroy)(stream), stream);
}

ROOFLINE_WEAK cudaError_t cudaEventCreate(cudaEvent_t* event) {
  using Plain = cudaError_t(cudaEvent_t*);  // C++ has a second cudaEventCreate
  return made(&Handles::events, next(static_cast<Plain*>(cudaEventCreate), "cudaEventCreate")(event), event);
}
ROOFLINE_WEAK cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  return made(&Handles::events, NEXT(cudaEventCreateWithFlags)(event, flags), event);
}
ROOFLINE_WEAK cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return destroyed(&Handles::events, NEXT(cudaEventDestroy)(event), event);
}

ROOFLINE_WEAK cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  return made(&Handles::graphs, NEXT(cudaGraphCreate)(graph, flags), graph);
}
ROOFLINE_WEAK cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return made(&Handles::graphs, NEXT(cudaGraphClone)(clone, graph), clone);
}
ROOFLINE_WEAK cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return made(&Handles::graphs, NEXT(cudaStreamEndCapture)(stream, graph), graph);
}
ROOFLINE_WEAK cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return destroyed(&Handles::graphs, NEXT(cudaGraphDestroy)(graph), graph);
}

ROOFLINE_WEAK cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                               unsigned long long flags) {
  using Plain = cudaError_t(cudaGraphExec_t*, cudaGraph_t, unsigned long long);
  return made(&Handles::executable_graphs,
              next(static_cast<Plain*>(cudaGraphInstantiate), "cudaGraphInstantiate")(exec, graph, flags),
              exec);
}
ROOFLINE_WEAK cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                        unsigned long long flags) {
  return made(&Handles::executable_graphs, NEXT(cudaGraphInstantiateWithFlags)(exec, graph, flags), exec);
}
ROOFLINE_WEAK cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                                         cudaGraphInstantiateParams* parameters) {
  return made(&Handles::executable_graphs, NEXT(cudaGraphInstantiateWithParams)(exec, graph, parameters),
              exec);
}
ROOFLINE_WEAK cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return destroyed(&Handles::executable_graphs, NEXT(cudaGraphExecDestroy)(exec), exec);
}

// cudaMalloc and others are templates, too: these are the functions of the library.
ROOFLINE_WEAK cudaError_t cudaMalloc(void** memory, size_t bytes) {
  using Plain = cudaError_t(void**, size_t);
  return made(&Handles::device_memory, next(static_cast<Plain*>(cudaMalloc), "cudaMalloc")(memory, bytes),
              memory);
}
ROOFLINE_WEAK cudaError_t cudaMallocPitch(void** memory, size_t* pitch, size_t width, size_t height) {
  using Plain = cudaError_t(void**, size_t*, size_t, size_t);
  return made(&Handles::device_memory,
              next(static_cast<Plain*>(cudaMallocPitch), "cudaMallocPitch")(memory, pitch, width, height),
              memory);
}
ROOFLINE_WEAK cudaError_t cudaMallocManaged(void** memory, size_t bytes, unsigned int flags) {
  using Plain = cudaError_t(void**, size_t, unsigned int);
  return made(&Handles::device_memory,
              next(static_cast<Plain*>(cudaMallocManaged), "cudaMallocManaged")(memory, bytes, flags),
              memory);
}
ROOFLINE_WEAK cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
  using Plain = cudaError_t(void**, size_t, cudaStream_t);
  return made(&Handles::device_memory,
              next(static_cast<Plain*>(cudaMallocAsync), "cudaMallocAsync")(memory, bytes, stream), memory);
}
ROOFLINE_WEAK cudaError_t cudaFree(void* memory) {
  return destroyed(&Handles::device_memory, NEXT(cudaFree)(memory), memory);
}
ROOFLINE_WEAK cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return destroyed(&Handles::device_memory, NEXT(cudaFreeAsync)(memory, stream), memory);
}

ROOFLINE_WEAK cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  using Plain = cudaError_t(void**, size_t);
  return made(&Handles::host_memory,
              next(static_cast<Plain*>(cudaMallocHost), "cudaMallocHost")(memory, bytes), memory);
}
ROOFLINE_WEAK cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned int flags) {
  using Plain = cudaError_t(void**, size_t, unsigned int);
  return made(&Handles::host_memory,
              next(static_cast<Plain*>(cudaHostAlloc), "cudaHostAlloc")(memory, bytes, flags), memory);
}
ROOFLINE_WEAK cudaError_t cudaFreeHost(void* memory) {
  return destroyed(&Handles::host_memory, NEXT(cudaFreeHost)(memory), memory);
}
