// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda.h>

#include "expect.h"

/// For programs that use the driver API.
inline const char* driver_error(CUresult result) {
  const char* name = nullptr;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "an unknown error";
}

#define EXPECT_DRIVER(expected, call)                                                                    \
  do {                                                                                                   \
    const CUresult got_ = (call);                                                                        \
    if (got_ != (expected)) {                                                                            \
      std::fprintf(stderr, "%s:%d: %s gave %s, not %s\n", __FILE__, __LINE__, #call, driver_error(got_), \
                   driver_error(expected));                                                              \
      not_as_expected();                                                                                 \
    }                                                                                                    \
  } while (0)

#define DRIVER_OK(call) EXPECT_DRIVER(CUDA_SUCCESS, call)

/// y[i] = a * x[i] + y[i], and a variable that a program can find by its name.
constexpr const char* kSaxpy = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .const .align 4 .f32 bias = 0f00000000;
.visible .global .align 4 .u32 calls = 7;
.visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<6>;
  .reg .f32 %f<6>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p, %r4, %r5;
  @%p bra done;
  ld.param.u64 %rd1, [x];
  ld.param.u64 %rd2, [y];
  ld.param.f32 %f1, [a];
  mul.wide.u32 %rd3, %r4, 4;
  add.u64 %rd4, %rd1, %rd3;
  add.u64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  ld.global.f32 %f3, [%rd5];
  ld.const.f32 %f4, [bias];
  fma.rn.f32 %f5, %f1, %f2, %f3;
  add.rn.f32 %f5, %f5, %f4;
  st.global.f32 [%rd5], %f5;
done:
  ret;
}
)";

/// Memory of a device, for cuMemCreate.
inline CUmemAllocationProp on_device(int device) {
  CUmemAllocationProp wanted{};
  wanted.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  wanted.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  wanted.location.id = device;
  return wanted;
}
