// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A program of the driver API alone: no CUDA runtime is linked.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

#define OK(call) \
  if ((call) != CUDA_SUCCESS) std::exit(__LINE__ % 200 + 1)

static const char* const kPtx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .entry product(.param .u32 a, .param .u32 b, .param .u64 p)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  ld.param.u64 %rd1, [p];
  mul.lo.u32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  ret;
}
)";

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction product;
  char name[100];
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDeviceGetName(name, sizeof name, device));
  OK(cuCtxCreate(&context, nullptr, 0, device));
  OK(cuModuleLoadData(&module, kPtx));
  OK(cuModuleGetFunction(&product, module, "product"));
  CUdeviceptr p;
  OK(cuMemAlloc(&p, 4));
  unsigned a = 6, b = 7, answer = 0;
  void* parameters[] = {&a, &b, &p};
  OK(cuLaunchKernel(product, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  OK(cuMemcpyDtoH(&answer, p, 4));
  std::printf("%s\n%u * %u = %u\n", name, a, b, answer);
  OK(cuCtxDestroy(context));
  return 0;
}
