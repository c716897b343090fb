// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Code that comes as text while the program runs (as a compiler library would give it): load, find kernels
// and variables, launch by handle, unload. A library loads on each device at its first use there.
#include <cstring>

#include "expect.h"

const char* const kCode = R"(
.version 7.5
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 5;
.visible .entry add_offset(.param .u64 p) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r1, [offset];
  ld.global.u32 %r2, [%rd2];
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd2], %r3;
  ret;
}
.visible .entry nothing() { ret; }
)";

int main() {
  cudaLibrary_t library;
  OK(cudaLibraryLoadData(&library, kCode, nullptr, nullptr, 0, nullptr, nullptr, 0));
  unsigned count = 0;
  OK(cudaLibraryGetKernelCount(&count, library));
  EXPECT(count == 2);
  cudaKernel_t both[2], kernel;
  OK(cudaLibraryEnumerateKernels(both, 2, library));
  OK(cudaLibraryGetKernel(&kernel, library, "add_offset"));
  EXPECT(kernel == both[0] || kernel == both[1]);
  EXPECT_RESULT(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&kernel, library, "subtract"));
  OK(cudaLibraryGetKernel(&kernel, library, "add_offset"));
  const char* name = nullptr;
  OK(cudaFuncGetName(&name, reinterpret_cast<const void*>(kernel)));
  EXPECT(std::strcmp(name, "add_offset") == 0);
  void* variable = nullptr;
  size_t bytes = 0;
  OK(cudaLibraryGetGlobal(&variable, &bytes, library, "offset"));
  EXPECT(bytes == 4);
  EXPECT_RESULT(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&variable, &bytes, library, "base"));
  OK(cudaLibraryGetGlobal(&variable, &bytes, library, "offset"));
  (void)cudaGetLastError();

  int *p, host = 37;
  OK(cudaMalloc(&p, sizeof host));
  OK(cudaMemcpy(p, &host, sizeof host, cudaMemcpyHostToDevice));
  void* arguments[] = {&p};
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, 0));
  const int more = 100;
  OK(cudaMemcpy(variable, &more, sizeof more, cudaMemcpyHostToDevice));
  OK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(1), arguments, 0, 0));
  OK(cudaMemcpy(&host, p, sizeof host, cudaMemcpyDeviceToHost));
  EXPECT(host == 37 + 5 + 100);
  OK(cudaLibraryUnload(library));

  void* function = &host;
  cudaDriverEntryPointQueryResult found;
  OK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &function, 13000, cudaEnableDefault, &found));
  EXPECT(function == nullptr && found == cudaDriverEntryPointSymbolNotFound);
}
