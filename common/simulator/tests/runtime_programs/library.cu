// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Code that arrives as text at run time, good and bad.
#include <cstring>
#include <string>

#include "expect.h"

static std::string module_with(const std::string& body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .global .align 4 .u32 factor = 3;\n"
         ".visible .entry triple(.param .u64 p)\n{\n"
         ".reg .b64 %rd<3>;\n.reg .b32 %r<4>;\n"
         "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [factor];\n" +
         body + "\nst.global.u32 [%rd1], %r3;\nret;\n}\n";
}

static cudaError_t load(cudaLibrary_t* library, const std::string& text) {
  return cudaLibraryLoadData(library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
}

int main() {
  cudaLibrary_t library;
  OK(load(&library, module_with("mul.lo.u32 %r3, %r1, %r2;")));
  cudaKernel_t kernel;
  OK(cudaLibraryGetKernel(&kernel, library, "triple"));
  EXPECT_RESULT(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "quadruple"));
  unsigned kernels = 0;
  OK(cudaLibraryGetKernelCount(&kernels, library));
  EXPECT(kernels == 1);
  int* p = nullptr;
  OK(cudaMallocManaged(&p, 4));
  *p = 14;
  void* arguments[] = {&p};
  OK(cudaLaunchKernel(reinterpret_cast<void*>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));
  OK(cudaDeviceSynchronize());
  EXPECT(*p == 42);
  void* factor = nullptr;
  size_t bytes = 0;
  OK(cudaLibraryGetGlobal(&factor, &bytes, library, "factor"));
  EXPECT(bytes == 4);
  OK(cudaLibraryUnload(library));
  EXPECT_RESULT(cudaErrorInvalidResourceHandle,
                cudaLaunchKernel(reinterpret_cast<void*>(kernel), dim3(1), dim3(1), arguments, 0, nullptr));

  EXPECT_RESULT(cudaErrorInvalidPtx, load(&library, module_with("frobnicate.u32 %r3, %r1, %r2;")));
  EXPECT_RESULT(cudaErrorInvalidPtx, load(&library, module_with("mul.lo.u32 %r3, %r1")));
  return 0;
}
