// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Libraries and their kernels: code that is loaded into each context that uses it.
#include "simulator/driver/modules.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;
using runtime::Module;
using runtime::Runtime;

namespace {

template <class Load>
CUresult load_library(CUlibrary* library, Load&& load) {
  return in_context([&] {
    if (!library) return CUDA_ERROR_INVALID_VALUE;
    Module* module = nullptr;
    const CUresult result = load(module);
    *library = reinterpret_cast<CUlibrary>(module);
    return result;
  });
}

/// A kernel's handle is the same for every context.
template <class Body>
CUresult with_kernel(CUkernel handle, Body&& body) {
  return with_runtime([&](Runtime& r) {
    runtime::Kernel* const kernel = r.modules.find_kernel(handle);
    return kernel ? body(r, *kernel) : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* options, void** values,
                           unsigned n, CUlibraryOption*, void**, unsigned) {
  const JitOptions jit(n, options, values);
  if (!jit.valid()) return CUDA_ERROR_INVALID_VALUE;
  return load_library(library, [&](Module*& made) { return load_code(code, jit, made); });
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* file, CUjit_option* options, void** values,
                               unsigned n, CUlibraryOption*, void**, unsigned) {
  const JitOptions jit(n, options, values);
  if (!jit.valid()) return CUDA_ERROR_INVALID_VALUE;
  return load_library(library, [&](Module*& made) { return load_file(file, jit, made); });
}
CUresult cuLibraryUnload(CUlibrary library) {
  return in_context([&] { return cudaLibraryUnload(library); });
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return in_context([&] { return cudaLibraryGetKernel(kernel, library, name); });
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return in_context([&] { return cudaLibraryGetKernelCount(count, library); });
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned n, CUlibrary library) {
  return in_context([&] { return cudaLibraryEnumerateKernels(kernels, n, library); });
}
CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
  return in_context([&] {
    void* found = nullptr;
    const cudaError_t error = cudaLibraryGetGlobal(&found, bytes, library, name);
    if (error == cudaSuccess && address) *address = address_of(found);
    return error;
  });
}
CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library, const char* name) {
  return in_context([&] {
    void* found = nullptr;
    const cudaError_t error = cudaLibraryGetManaged(&found, bytes, library, name);
    if (error == cudaSuccess && address) *address = address_of(found);
    return error;
  });
}
/// The module of a library in this context goes by the library's own handle.
CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return with_runtime([&](Runtime& r) {
    if (!module) return cudaErrorInvalidValue;
    Module* const found = find_module(r, library);
    if (!found) return cudaErrorInvalidResourceHandle;
    *module = reinterpret_cast<CUmodule>(found);
    return cudaSuccess;
  });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return with_kernel(kernel, [&](Runtime& r, runtime::Kernel& found) {
    if (!function) return cudaErrorInvalidValue;
    const cudaError_t error = r.modules.resolve(found, r.connection());
    if (error == cudaSuccess) *function = reinterpret_cast<CUfunction>(&found);
    return error;
  });
}
CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return with_kernel(kernel, [&](Runtime&, const runtime::Kernel& found) {
    if (!library) return cudaErrorInvalidValue;
    *library = reinterpret_cast<CUlibrary>(found.module);
    return cudaSuccess;
  });
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return with_kernel(kernel, [&](Runtime&, const runtime::Kernel& found) {
    if (!name) return cudaErrorInvalidValue;
    *name = found.name.c_str();
    return cudaSuccess;
  });
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* size) {
  return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset, size);
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel, CUdevice device) {
  return in_context([&] {
    return cudaKernelSetAttributeForDevice(kernel, static_cast<cudaFuncAttribute>(attribute), value, device);
  });
}
CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice) {
  return cuFuncSetCacheConfig(reinterpret_cast<CUfunction>(kernel), config);
}
/// Devices of one run are equal.
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, reinterpret_cast<CUfunction>(kernel));
}
