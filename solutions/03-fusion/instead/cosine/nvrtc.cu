// bench: NVRTC, one kernel from one line of source
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a framework's fuser does: the expression is known when the program runs, the kernel is compiled then.

#include "cosine.h"
#include "cuda/nvrtc.h"

namespace {

cudaKernel_t fused() {
  static const cudaKernel_t kernel = [] {
    const std::string ptx = roofline::compile_to_ptx(
        "extern \"C\" __global__ void fused(const float* x, float* y, size_t n) {\n"
        "  const size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x;\n"
        "  if (i < n) y[i] = cosf(cosf(x[i]));\n"
        "}\n");
    cudaLibrary_t library = nullptr;
    cudaKernel_t found = nullptr;
    CUDA_CHECK(cudaLibraryLoadData(&library, ptx.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA_CHECK(cudaLibraryGetKernel(&found, library, "fused"));
    return found;
  }();
  return kernel;
}

}  // namespace

void cosine_twice(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  void* arguments[] = {&x, &y, &n};
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(fused()),
                              dim3(static_cast<unsigned>((n + 255) / 256)), dim3(256), arguments, 0, stream));
}
