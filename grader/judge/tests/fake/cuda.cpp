// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime of a few functions over host memory: the judge, the worker and everything between them run
// in the tests without a device. "Kernels" of the fixtures are loops on the host.
#include "fake/cuda.h"

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace {

/// The kernel that holds a stream until *flag is not 0.
struct {
  const unsigned* flag = nullptr;
  unsigned waiting = 0;  ///< launches behind it
} gate;
char sm_clock = 0;  ///< the kernel that reads it

size_t persisting_share = 0;  ///< bytes of L2 set aside

cudaError_t supported() { return fake_queue != 0 ? cudaSuccess : cudaErrorNotSupported; }

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  std::this_thread::sleep_for(std::chrono::milliseconds(std::exchange(fake_first_contact_ms, 0)));
  *pointer = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void* pointer) {
  fake_before_copy = nullptr;
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  if (fake_before_copy != nullptr) fake_before_copy(from);
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t bytes) {
  persisting_share = bytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(size_t* bytes, cudaLimit) {
  *bytes = persisting_share;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() {
  if (persisting_share == 0) fake_persisting_lines = false;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(0x10);
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaDeviceCanAccessPeer(int* reaches, int, int) {
  *reaches = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned) { return cudaErrorNotSupported; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char* cudaGetErrorName(cudaError_t) { return "cudaErrorFake"; }
const char* cudaGetErrorString(cudaError_t) { return "fake error"; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "Fake device");
  properties->major = 8;
  properties->multiProcessorCount = 4;
  properties->l2CacheSize = 1 << 16;
  properties->totalGlobalMem = size_t{1} << 28;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = 0;
  if (attribute == cudaDevAttrClockRate) *value = 100'000'000;  // kHz: no test is "impossible" by accident
  if (attribute == cudaDevAttrMemoryClockRate) *value = 50'000'000;
  if (attribute == cudaDevAttrGlobalMemoryBusWidth) *value = 4096;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}

// An event is the time at which it was recorded: "device" work is over when the call returns.
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new std::chrono::steady_clock::time_point);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  *reinterpret_cast<std::chrono::steady_clock::time_point*>(event) = std::chrono::steady_clock::now();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  using Point = std::chrono::steady_clock::time_point;
  *milliseconds = std::chrono::duration<float, std::milli>(*reinterpret_cast<Point*>(end) -
                                                           *reinterpret_cast<Point*>(begin))
                      .count() *
                  fake_event_scale;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete reinterpret_cast<std::chrono::steady_clock::time_point*>(event);
  return cudaSuccess;
}

// Without a queue no kernels: the worker then measures without a gate and without the SM clock.
cudaError_t cudaLibraryLoadData(cudaLibrary_t*, const void*, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return supported();
}
cudaError_t cudaLibraryUnload(cudaLibrary_t) { return supported(); }
cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t, const char* name) {
  void* const gate_kernel = &gate;
  *kernel = reinterpret_cast<cudaKernel_t>(std::strcmp(name, "roofline_gate") == 0 ? gate_kernel : &sm_clock);
  return supported();
}
cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  if (fake_queue != 0) *memory = std::calloc(1, bytes);
  return supported();
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return supported();
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3, dim3, void** arguments, size_t, cudaStream_t) {
  if (kernel == &gate) {
    gate.flag = *static_cast<unsigned**>(arguments[0]);
    gate.waiting = 0;
  } else if (kernel == &sm_clock) {
    auto* ticks = *static_cast<unsigned long long**>(arguments[0]);
    ticks[0] = ticks[1] = 1000;
  }
  return supported();
}

}  // extern "C"

void fake_launch(unsigned count) {
  if (gate.flag == nullptr || *gate.flag != 0) return;
  gate.waiting += count;
  if (gate.waiting <= fake_queue) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  gate.flag = nullptr;
}
