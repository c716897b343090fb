// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// What nvcc's generated host code calls: registration of a translation unit's fat binary before main(), and
// launches.
#include "simulator/image/registration.h"

#include <vector>

#include "simulator/ptx/load_error.h"
#include "simulator/runtime/launch.h"
#include "simulator/runtime/runtime.h"
#include "simulator/runtime/say.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

struct CallConfiguration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<CallConfiguration> t_configurations;

Module& module_of(void** handle) { return *reinterpret_cast<Module*>(handle); }

}  // namespace

ROOFLINE_EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  std::span<const std::byte> image;
  std::vector<std::span<const std::byte>> units;
  try {
    image = image::image_of_wrapper(wrapper);
    units = image::parts_of_wrapper(wrapper);
  } catch (const LoadError& error) {
    say(error.what());  // its kernels will answer cudaErrorInvalidKernelImage
  }
  Module& module = runtime.modules.add(image);
  module.units = std::move(units);
  return reinterpret_cast<void**>(&module);
}

ROOFLINE_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

ROOFLINE_EXPORT void __cudaUnregisterFatBinary(void** handle) {
  // The program is ending: the machine ends with it, there is nothing to unload.
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  if (runtime.modules.contains(&module_of(handle))) runtime.modules.remove(module_of(handle), nullptr);
}

ROOFLINE_EXPORT void __cudaRegisterFunction(void** handle, const char* host_function, char*,
                                            const char* device_name, int, uint3*, uint3*, dim3*, dim3*,
                                            int*) {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  Kernel& kernel = runtime.modules.add_kernel(module_of(handle), device_name);
  runtime.modules.add_stub(host_function, kernel);
}

ROOFLINE_EXPORT void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name,
                                       int, size_t, int, int) {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  runtime.modules.add_variable(host_variable, module_of(handle), device_name, nullptr);
}

ROOFLINE_EXPORT void __cudaRegisterHostVar(void** handle, const char* device_name, char* host_variable,
                                           size_t) {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  runtime.modules.add_variable(host_variable, module_of(handle), device_name, nullptr);
}

ROOFLINE_EXPORT void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*,
                                              const char* device_name, int, size_t, int, int) {
  Runtime& runtime = Runtime::instance();
  std::lock_guard guard(runtime.lock);
  runtime.modules.add_variable(host_pointer, module_of(handle), device_name, host_pointer);
}

ROOFLINE_EXPORT void __cudaRegisterUnifiedTable(void**, void*) {}

/// Host code is about to touch a managed variable.
ROOFLINE_EXPORT char __cudaInitModule(void** handle) {
  const cudaError_t error =
      api([&](Runtime& r) { return r.modules.load(module_of(handle), r.connection()); });
  return error == cudaSuccess;
}

ROOFLINE_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  *kernel = nullptr;  // callers pass it on without looking at our answer
  return api([&](Runtime& r) {
    Kernel* found = r.modules.find_kernel(host_function);
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return found ? cudaSuccess : cudaErrorInvalidDeviceFunction;
  });
}

ROOFLINE_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                     cudaStream_t stream) {
  t_configurations.push_back({grid, block, shared, stream});
  return 0;  // anything else makes the generated code skip the launch
}

ROOFLINE_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                                       void* stream) {
  if (t_configurations.empty()) return remember(cudaErrorMissingConfiguration);
  const CallConfiguration top = t_configurations.back();
  t_configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

ROOFLINE_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                               size_t shared, cudaStream_t stream) {
  return launch({kernel, grid, block, arguments, shared, stream, false});
}

ROOFLINE_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block,
                                                    void** arguments, size_t shared, cudaStream_t stream) {
  return launch({kernel, grid, block, arguments, shared, per_thread(stream), false});
}
