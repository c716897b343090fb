// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "simulator/driver/context.h"
#include "simulator/runtime/runtime.h"

/// The frame of every function of the driver API. Most of them are one of the runtime's under another name:
/// the frame looks after what differs, which is contexts, error codes and cudaGetLastError.
namespace roofline::sim::driver {

CUresult to_driver(cudaError_t error);
inline CUresult to_driver(CUresult result) { return result; }

/// Handles of the runtime and of the driver are the same; only their kernels have two types.
inline cudaKernel_t kernel_of(CUfunction function) { return reinterpret_cast<cudaKernel_t>(function); }
inline const void* symbol_of(CUfunction function) { return function; }
inline void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr address_of(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

/// The stream that stream 0 means during a call: the legacy one, or the thread's own in a `_ptsz` or `_ptds`
/// function.
CUstream& default_stream();
inline CUstream given(CUstream stream) { return stream ? stream : default_stream(); }

/// The runtime's last error belongs to calls of the runtime.
class KeepsLastError {
 public:
  KeepsLastError() : before_(runtime::last_error()) {}
  ~KeepsLastError() { runtime::last_error() = before_; }
  KeepsLastError(const KeepsLastError&) = delete;
  KeepsLastError& operator=(const KeepsLastError&) = delete;

 private:
  cudaError_t before_;
};

/// After cuInit, or the runtime's first call, which initialises the driver, too.
inline bool is_initialised() {
  return Contexts::instance().initialised || runtime::Runtime::instance().connected();
}

/// Runs `body` once the driver is initialised; it makes no context current.
template <class Body>
CUresult initialised(Body&& body) noexcept {
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  const KeepsLastError keeps;
  const runtime::CurrentDevice before = runtime::current_device();
  runtime::current_device().used = true;
  const CUresult result = to_driver(body());
  runtime::current_device() = before;
  return result;
}

/// Why there is no context to work in; CUDA_SUCCESS when there is one.
CUresult context_problem();

/// Runs `body` in the current context.
template <class Body>
CUresult in_context(Body&& body) noexcept {
  if (const CUresult problem = context_problem(); problem != CUDA_SUCCESS) return problem;
  const KeepsLastError keeps;
  return to_driver(body());
}

/// The same; when it succeeds, what `made` then holds belongs to the context.
template <class Handle, class Body>
CUresult make(Resource kind, Handle* made, Body&& body) noexcept {
  return in_context([&] {
    if (!made) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = to_driver(body());
    if (result == CUDA_SUCCESS && *made) Contexts::instance().add(*current_context(), kind, u64(*made));
    return result;
  });
}
/// The same; when it succeeds, no context frees `handle` any more.
template <class Body>
CUresult unmake(u64 handle, Body&& body) noexcept {
  return in_context([&] {
    const CUresult result = to_driver(body());
    if (result == CUDA_SUCCESS) Contexts::instance().remove(handle);
    return result;
  });
}

/// Runs `body(runtime)` with the runtime's lock held, on the current context's device.
template <class Body>
CUresult with_runtime(Body&& body) noexcept {
  return in_context([&] { return runtime::api(body); });
}

}  // namespace roofline::sim::driver
