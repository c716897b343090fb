// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Modules: code that is loaded into one context.
#include <cstdlib>
#include <string_view>

#include "simulator/driver/modules.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;
using runtime::Module;
using runtime::Runtime;

namespace {

template <class Load>
CUresult load_module(CUmodule* made, Load&& load) {
  return make(Resource::kModule, made, [&] {
    Module* module = nullptr;
    const CUresult result = load(module);
    *made = reinterpret_cast<CUmodule>(module);
    return result;
  });
}

/// Runs `body(runtime, module)` for a module that is loaded on the context's device.
template <class Body>
CUresult with_module(const void* handle, Body&& body) {
  return with_runtime([&](Runtime& r) {
    Module* const module = find_module(r, handle);
    return module ? body(r, *module) : cudaErrorInvalidResourceHandle;
  });
}

}  // namespace

CUresult cuModuleLoad(CUmodule* module, const char* file) {
  return load_module(module, [&](Module*& made) { return load_file(file, {}, made); });
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned n, CUjit_option* options,
                            void** values) {
  const JitOptions jit(n, options, values);
  if (!jit.valid()) return CUDA_ERROR_INVALID_VALUE;
  return load_module(module, [&](Module*& made) { return load_code(image, jit, made); });
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUresult cuModuleUnload(CUmodule module) {
  return unmake(u64(module), [&] { return unload(module); });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return initialised([&] {
    if (!mode) return CUDA_ERROR_INVALID_VALUE;
    const char* const asked = std::getenv("CUDA_MODULE_LOADING");
    *mode = asked && std::string_view(asked) == "EAGER" ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return with_module(handle, [&](Runtime& r, Module& module) {
    if (!function || !name) return cudaErrorInvalidValue;
    if (!module.functions.contains(name)) return cudaErrorSymbolNotFound;
    *function = reinterpret_cast<CUfunction>(&r.modules.add_kernel(module, name));
    return cudaSuccess;
  });
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule handle) {
  return with_module(handle, [&](Runtime&, const Module& module) {
    if (!count) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(module.functions.size());
    return cudaSuccess;
  });
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned n, CUmodule handle) {
  return with_module(handle, [&](Runtime& r, Module& module) {
    if (!functions && n) return cudaErrorInvalidValue;
    unsigned i = 0;
    for (const auto& [name, facts] : module.functions)
      if (i < n) functions[i++] = reinterpret_cast<CUfunction>(&r.modules.add_kernel(module, name));
    return cudaSuccess;
  });
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, size_t* bytes, CUmodule handle, const char* name) {
  return with_module(handle, [&](Runtime&, const Module& module) {
    if (!name || (!address && !bytes)) return cudaErrorInvalidValue;
    const auto found = module.variables.find(name);
    if (found == module.variables.end()) return cudaErrorSymbolNotFound;
    if (address) *address = found->second.address;
    if (bytes) *bytes = found->second.bytes;
    return cudaSuccess;
  });
}
