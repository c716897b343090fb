// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/driver/modules.h"

#include <algorithm>

#include "simulator/ptx/load_error.h"
#include "simulator/runtime/say.h"

namespace roofline::sim::driver {

using namespace runtime;

namespace {

/// What a card's compiler says about each kernel.
std::string resources_of(const Module& module) {
  std::string text;
  for (const auto& [name, facts] : module.functions) {
    const auto& r = facts.resources;
    text += "info    : " + name + ": " + std::to_string(r.registers) + " registers" +
            (r.registers_estimated ? " (estimated), " : ", ") + std::to_string(r.static_shared_bytes) +
            " bytes of shared memory\n";
  }
  return text;
}

/// The problems of all kernels, when every one has one.
std::string problems_of(const Module& module) {
  std::string text;
  for (const auto& [name, facts] : module.functions) {
    if (facts.problem.empty()) return {};
    text += facts.problem + "\n";
  }
  return text;
}

/// `error` where it is one of an image, in the driver's terms.
CUresult load_error(cudaError_t error) {
  return error == cudaErrorInvalidKernelImage ? CUDA_ERROR_INVALID_IMAGE : to_driver(error);
}

}  // namespace

CUresult load(Image image, const JitOptions& options, Module*& module) {
  std::string errors, info;
  const cudaError_t error = api([&](Runtime& r) {
    const cudaError_t result = load_image(r, std::move(image), module, &errors);
    if (result != cudaSuccess) return result;
    if (const std::string problems = problems_of(*module); !problems.empty()) {
      say(problems);
      errors += problems;
      r.modules.remove(*module, &r.connection());
      return cudaErrorInvalidPtx;
    }
    info = resources_of(*module);
    return cudaSuccess;
  });
  options.tell(info, errors);
  return load_error(error);
}

CUresult load_code(const void* code, const JitOptions& options, Module*& module) try {
  if (!code) return CUDA_ERROR_INVALID_VALUE;
  return load(image_behind(code), options, module);
} catch (const LoadError& error) {
  say(error.what());
  options.tell("", error.what());
  return CUDA_ERROR_INVALID_IMAGE;
}

CUresult load_file(const char* file, const JitOptions& options, Module*& module) {
  if (!file) return CUDA_ERROR_INVALID_VALUE;
  Image image = image_in_file(file);
  return image.empty() ? CUDA_ERROR_FILE_NOT_FOUND : load(std::move(image), options, module);
}

Module* find_module(Runtime& r, const void* handle) {
  auto* const module = static_cast<Module*>(const_cast<void*>(handle));
  if (!r.modules.contains(module)) return nullptr;
  (void)r.modules.load(*module, r.connection());
  return module;
}

cudaError_t unload(CUmodule handle) {
  return api([&](Runtime& r) {
    Module* const module = find_module(r, handle);
    if (!module) return cudaErrorInvalidResourceHandle;
    r.modules.remove(*module, &r.connection());
    return cudaSuccess;
  });
}

}  // namespace roofline::sim::driver
