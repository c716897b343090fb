// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Contexts: made, current, asked.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// The version that cuCtxGetApiVersion gives for contexts since CUDA 4.0.
constexpr unsigned kApiVersion = 3020;

Context* live(CUcontext handle) { return Contexts::instance().find(handle); }

/// A context by handle, or the current one for none.
Context* live_or_current(CUcontext handle) { return live(handle ? handle : handle_of(current_context())); }

/// Runs `body` with another context current.
template <class Body>
CUresult in_other_context(CUcontext handle, Body&& body) {
  Context* const other = live_or_current(handle);
  if (!other) return CUDA_ERROR_INVALID_CONTEXT;
  const runtime::CurrentDevice before = runtime::current_device();
  set_current_context(other);
  const CUresult result = in_context(body);
  runtime::current_device() = before;
  return result;
}

}  // namespace

CUresult cuCtxCreate_v4(CUcontext* made, CUctxCreateParams* parameters, unsigned flags, CUdevice device) {
  const CUresult result = initialised([&] {
    constexpr unsigned known = CU_CTX_FLAGS_MASK;
    if (!made || (flags & ~known)) return CUDA_ERROR_INVALID_VALUE;
    // Parts of a GPU and graphics are not simulated.
    if (parameters && (parameters->numExecAffinityParams || parameters->cigParams))
      return CUDA_ERROR_NOT_SUPPORTED;
    int count = 0;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) return to_driver(error);
    if (device < 0 || device >= count) return CUDA_ERROR_INVALID_DEVICE;
    *made = handle_of(&Contexts::instance().create(device, flags));
    return CUDA_SUCCESS;
  });
  return result == CUDA_SUCCESS ? cuCtxPushCurrent_v2(*made) : result;
}
CUresult cuCtxCreate_v3(CUcontext* made, CUexecAffinityParam*, int n, unsigned flags, CUdevice device) {
  if (n != 0) return CUDA_ERROR_NOT_SUPPORTED;
  return cuCtxCreate_v4(made, nullptr, flags, device);
}
CUresult cuCtxCreate_v2(CUcontext* made, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(made, nullptr, flags, device);
}
CUresult cuCtxCreate(CUcontext* made, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(made, nullptr, flags, device);
}

/// A destroyed context that is current for this thread is taken from its stack; other threads keep a handle
/// that nothing works with.
CUresult cuCtxDestroy_v2(CUcontext handle) {
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  Context* const context = live(handle);
  if (!context || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  if (current_context() == context) pop_context();
  return destroy_context(*context);
}
CUresult cuCtxDestroy(CUcontext handle) { return cuCtxDestroy_v2(handle); }

CUresult cuCtxAttach(CUcontext* handle, unsigned flags) {
  return in_context([&] {
    if (!handle || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    current_context()->holders++;
    *handle = handle_of(current_context());
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxDetach(CUcontext handle) {
  Context* const context = live(handle);
  if (!context || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  return --context->holders == 0 ? cuCtxDestroy_v2(handle) : CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  Context* const context = live(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  push_context(*context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext handle) { return cuCtxPushCurrent_v2(handle); }

CUresult cuCtxPopCurrent_v2(CUcontext* handle) {
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  Context* const context = current_context();
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (handle) *handle = handle_of(context);
  pop_context();
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* handle) { return cuCtxPopCurrent_v2(handle); }

CUresult cuCtxSetCurrent(CUcontext handle) {
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle) {
    if (current_context()) pop_context();
    return CUDA_SUCCESS;
  }
  Context* const context = live(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  set_current_context(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* handle) {
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  *handle = handle_of(current_context());
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) { return cuCtxGetDevice_v2(device, nullptr); }
CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext handle) {
  if (!is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  const Context* const context = live_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (!device) return CUDA_ERROR_INVALID_VALUE;
  *device = context->device;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  const Context* const context = live_or_current(handle);
  if (!context) return CUDA_ERROR_INVALID_CONTEXT;
  if (!id) return CUDA_ERROR_INVALID_VALUE;
  *id = context->id;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  if (!live_or_current(handle)) return CUDA_ERROR_INVALID_CONTEXT;
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = kApiVersion;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetFlags(unsigned* flags) {
  return in_context([&] {
    if (!flags) return cudaErrorInvalidValue;
    const Context& context = *current_context();
    return runtime::locked([&](runtime::Runtime& r) {
      *flags = context.primary ? r.settings().flags : context.flags;
      return cudaSuccess;
    });
  });
}
CUresult cuCtxSetFlags(unsigned flags) {
  return in_context([&] {
    constexpr unsigned known = CU_CTX_FLAGS_MASK;
    if (flags & ~known) return cudaErrorInvalidValue;
    Context& context = *current_context();
    return runtime::locked([&](runtime::Runtime& r) {
      (context.primary ? r.settings().flags : context.flags) = flags;
      return cudaSuccess;
    });
  });
}

CUresult cuCtxSynchronize() { return in_context(cudaDeviceSynchronize); }
CUresult cuCtxSynchronize_v2(CUcontext handle) { return in_other_context(handle, cudaDeviceSynchronize); }

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return in_context([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return in_context([&] {
    cudaFuncCache answer{};
    if (!config) return cudaErrorInvalidValue;
    const cudaError_t error = cudaDeviceGetCacheConfig(&answer);
    *config = static_cast<CUfunc_cache>(answer);
    return error;
  });
}
// Bank size has not been configurable since compute capability 5.0.
CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return in_context([] { return CUDA_SUCCESS; });
}
CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return in_context([&] {
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
    return CUDA_SUCCESS;
  });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}
CUresult cuCtxResetPersistingL2Cache() { return in_context(cudaCtxResetPersistingL2Cache); }

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return in_context([&] {
    const Context* const other = live(peer);
    return other ? to_driver(cudaDeviceEnablePeerAccess(other->device, flags)) : CUDA_ERROR_INVALID_CONTEXT;
  });
}
CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return in_context([&] {
    const Context* const other = live(peer);
    return other ? to_driver(cudaDeviceDisablePeerAccess(other->device)) : CUDA_ERROR_INVALID_CONTEXT;
  });
}
