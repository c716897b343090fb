// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Launches of kernels and host functions.
#include "simulator/runtime/launch.h"

#include <algorithm>

#include "simulator/driver/launch_config.h"
#include "simulator/runtime/kernel_use.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

namespace {

struct PackedBuffer {
  std::byte* begin = nullptr;
  size_t bytes = 0;
};

/// `extra` is a list of a name and its value, each a pointer.
bool read_extra(void** extra, PackedBuffer& buffer) {
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer.begin = static_cast<std::byte*>(extra[1]);
    else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
      buffer.bytes = *static_cast<size_t*>(extra[1]);
    else
      return false;
  }
  return buffer.begin != nullptr || buffer.bytes == 0;
}

/// A function works in the context it was loaded into; a library's kernel in any.
CUresult check_context(CUfunction function) {
  const runtime::Kernel* kernel = nullptr;
  const cudaError_t error = runtime::locked([&](runtime::Runtime& r) {
    kernel = r.modules.find_kernel(function);
    return kernel ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
  if (error != cudaSuccess) return CUDA_ERROR_INVALID_HANDLE;
  const Context* const owner = Contexts::instance().owner_of(u64(kernel->module));
  return !owner || owner == current_context() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace

namespace roofline::sim::driver {

CUresult Parameters::take(CUfunction function, void** pointers, void** extra) {
  given_ = pointers;
  if (!extra) return CUDA_SUCCESS;
  PackedBuffer buffer;
  if (pointers || !read_extra(extra, buffer)) return CUDA_ERROR_INVALID_VALUE;
  return to_driver(runtime::with_kernel(function, [&](runtime::Runtime&, runtime::Kernel& kernel) {
    const auto& facts = kernel.facts;
    // A driver takes a buffer that is too short; what is behind its end is nobody's, here zero.
    size_t needed = 0;
    for (size_t i = 0; i < facts.parameter_sizes.size(); i++)
      needed = std::max<size_t>(needed, facts.parameter_offsets[i] + facts.parameter_sizes[i]);
    packed_.assign(buffer.begin, buffer.begin + std::min(buffer.bytes, needed));
    packed_.resize(needed);
    for (const auto offset : facts.parameter_offsets) unpacked_.push_back(packed_.data() + offset);
    return cudaSuccess;
  }));
}

}  // namespace roofline::sim::driver

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  return in_context([&] {
    if (!config || !function) return CUDA_ERROR_INVALID_VALUE;
    if (const CUresult result = check_context(function); result != CUDA_SUCCESS) return result;
    Parameters all;
    if (const CUresult result = all.take(function, parameters, extra); result != CUDA_SUCCESS) return result;
    const cudaLaunchConfig_t same = runtime_config(*config);
    return to_driver(cudaLaunchKernelExC(&same, symbol_of(function), all.pointers()));
  });
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** parameters, void** extra) {
  const CUlaunchConfig config{grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, nullptr, 0};
  return cuLaunchKernelEx(&config, function, parameters, extra);
}
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** parameters) {
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  const CUlaunchConfig config{grid_x,  grid_y, grid_z, block_x,      block_y,
                              block_z, shared, stream, &cooperative, 1};
  return cuLaunchKernelEx(&config, function, parameters, nullptr);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  return in_context([&] { return cudaLaunchHostFunc(given(stream), function, data); });
}
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned flags) {
  return in_context([&] {
    // Its second argument is a number that both APIs share.
    return cudaStreamAddCallback(given(stream), reinterpret_cast<cudaStreamCallback_t>(callback), data,
                                 flags);
  });
}
