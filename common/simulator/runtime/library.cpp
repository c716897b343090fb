// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Code loaded at run time: what NVRTC gives, or files.
#include <atomic>
#include <string>
#include <string_view>

#include "simulator/ptx/load_error.h"
#include "simulator/runtime/load_image.h"
#include "simulator/runtime/say.h"

using namespace roofline::sim;
using namespace roofline::sim::runtime;

namespace {

/// A library, loaded on the thread's device; nullptr when it is none.
Module* module_of(Runtime& r, cudaLibrary_t library) {
  auto* const module = reinterpret_cast<Module*>(library);
  if (!r.modules.contains(module)) return nullptr;
  (void)r.modules.load(*module, r.connection());
  return module;
}

cudaError_t load(Runtime& r, cudaLibrary_t* library, Image image) {
  Module* module = nullptr;
  const cudaError_t error = load_image(r, std::move(image), module);
  if (error == cudaSuccess) *library = reinterpret_cast<cudaLibrary_t>(module);
  return error;
}

cudaError_t find_global(cudaLibrary_t library, const char* name, bool managed, void** address,
                        size_t* bytes) {
  return api([&](Runtime& r) {
    const Module* module = module_of(r, library);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (!name) return cudaErrorInvalidValue;
    const auto found = module->variables.find(name);
    if (found == module->variables.end() || (managed && !found->second.managed))
      return cudaErrorSymbolNotFound;
    if (address) *address = reinterpret_cast<void*>(found->second.address);
    if (bytes) *bytes = found->second.bytes;
    return cudaSuccess;
  });
}

/// A program that does not look at the error goes on with a kernel that is none. Said once.
void say_which_there_are(const Module& module, std::string_view missing) {
  static std::atomic<bool> said = false;
  if (said.exchange(true)) return;
  std::string text = "cudaLibraryGetKernel of \"" + std::string(missing) + "\" is refused: the library has ";
  text += module.functions.empty() ? "no kernel" : '"' + module.functions.begin()->first + '"';
  if (module.functions.size() > 1) text += " and " + std::to_string(module.functions.size() - 1) + " more";
  say(text);
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return api([&](Runtime& r) {
    if (!library || !code) return cudaErrorInvalidValue;
    try {
      return load(r, library, image_behind(code));
    } catch (const LoadError& error) {
      say(error.what());
      return cudaErrorInvalidKernelImage;
    }
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* file, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
  return api([&](Runtime& r) {
    if (!library || !file) return cudaErrorInvalidValue;
    Image image = image_in_file(file);
    if (image.empty()) return cudaErrorFileNotFound;
    return load(r, library, std::move(image));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return api([&](Runtime& r) {
    Module* module = module_of(r, library);
    if (!module) return cudaErrorInvalidResourceHandle;
    r.modules.remove(*module, &r.connection());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return api([&](Runtime& r) {
    Module* module = module_of(r, library);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (!kernel || !name) return cudaErrorInvalidValue;
    if (!module->functions.contains(name)) {
      say_which_there_are(*module, name);
      return cudaErrorSymbolNotFound;
    }
    *kernel = reinterpret_cast<cudaKernel_t>(&r.modules.add_kernel(*module, name));
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t library) {
  return api([&](Runtime& r) {
    const Module* module = module_of(r, library);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (!count) return cudaErrorInvalidValue;
    *count = static_cast<unsigned>(module->functions.size());
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned n, cudaLibrary_t library) {
  return api([&](Runtime& r) {
    Module* module = module_of(r, library);
    if (!module) return cudaErrorInvalidResourceHandle;
    if (!kernels && n) return cudaErrorInvalidValue;
    unsigned i = 0;
    for (const auto& [name, facts] : module->functions)
      if (i < n) kernels[i++] = reinterpret_cast<cudaKernel_t>(&r.modules.add_kernel(*module, name));
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return find_global(library, name, false, address, bytes);
}
cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t library, const char* name) {
  return find_global(library, name, true, address, bytes);
}
