// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Launches as before CUDA 4.0: block, shared memory and parameters are first set for a function, one by one.
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "simulator/driver/frame.h"
#include "simulator/runtime/kernel_use.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

/// The most that parameters of a kernel may have.
constexpr size_t kMostBytes = 32764;

struct Settings {
  unsigned block[3] = {0, 0, 0};
  unsigned shared = 0;
  std::vector<std::byte> parameters;
};

/// Of each function that was set up this way.
std::mutex g_lock;
std::map<CUfunction, Settings>& all_settings() {
  static auto* const all = new std::map<CUfunction, Settings>;  // programs launch from their destructors
  return *all;
}

/// Runs `body(settings)` for a function that is one.
template <class Body>
CUresult set(CUfunction function, Body&& body) {
  return in_context([&] {
    if (!function) return CUDA_ERROR_INVALID_VALUE;
    const cudaError_t known = runtime::with_kernel(
        symbol_of(function), [](runtime::Runtime&, runtime::Kernel&) { return cudaSuccess; });
    if (known != cudaSuccess) return to_driver(known);
    std::lock_guard guard(g_lock);
    return body(all_settings()[function]);
  });
}

CUresult set_parameter(CUfunction function, int offset, const void* value, size_t bytes) {
  return set(function, [&](Settings& settings) {
    if (offset < 0 || !value || bytes > kMostBytes || static_cast<size_t>(offset) > kMostBytes - bytes)
      return CUDA_ERROR_INVALID_VALUE;
    const size_t begin = static_cast<size_t>(offset);
    if (settings.parameters.size() < begin + bytes) settings.parameters.resize(begin + bytes);
    std::memcpy(settings.parameters.data() + begin, value, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult launch(CUfunction function, int width, int height, CUstream stream) {
  Settings settings;
  const CUresult known = set(function, [&](const Settings& found) {
    settings = found;
    return width > 0 && height > 0 && found.block[0] != 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
  if (known != CUDA_SUCCESS) return known;
  size_t bytes = settings.parameters.size();
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, settings.parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                   &bytes, CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(function, static_cast<unsigned>(width), static_cast<unsigned>(height), 1,
                        settings.block[0], settings.block[1], settings.block[2], settings.shared, stream,
                        nullptr, extra);
}

}  // namespace

CUresult cuFuncSetBlockShape(CUfunction function, int x, int y, int z) {
  return set(function, [&](Settings& settings) {
    if (x <= 0 || y <= 0 || z <= 0) return CUDA_ERROR_INVALID_VALUE;
    settings.block[0] = static_cast<unsigned>(x);
    settings.block[1] = static_cast<unsigned>(y);
    settings.block[2] = static_cast<unsigned>(z);
    return CUDA_SUCCESS;
  });
}
CUresult cuFuncSetSharedSize(CUfunction function, unsigned bytes) {
  return set(function, [&](Settings& settings) {
    settings.shared = bytes;
    return CUDA_SUCCESS;
  });
}
CUresult cuParamSetSize(CUfunction function, unsigned bytes) {
  return set(function, [&](Settings& settings) {
    if (bytes > kMostBytes) return CUDA_ERROR_INVALID_VALUE;
    settings.parameters.resize(bytes);
    return CUDA_SUCCESS;
  });
}
CUresult cuParamSeti(CUfunction function, int offset, unsigned value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUresult cuParamSetf(CUfunction function, int offset, float value) {
  return set_parameter(function, offset, &value, sizeof value);
}
CUresult cuParamSetv(CUfunction function, int offset, void* value, unsigned bytes) {
  return set_parameter(function, offset, value, bytes);
}

CUresult cuLaunch(CUfunction function) { return launch(function, 1, 1, nullptr); }
CUresult cuLaunchGrid(CUfunction function, int width, int height) {
  return launch(function, width, height, nullptr);
}
CUresult cuLaunchGridAsync(CUfunction function, int width, int height, CUstream stream) {
  return launch(function, width, height, stream);
}
