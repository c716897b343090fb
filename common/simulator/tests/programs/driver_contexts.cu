// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: contexts of one's own and primary ones, the stack of each thread, what a destroyed context
// frees.
// nvcc: -lcuda
#include <thread>

#include "driver.h"

static CUcontext current() {
  CUcontext context = nullptr;
  DRIVER_OK(cuCtxGetCurrent(&context));
  return context;
}

static void stack(CUcontext first) {
  CUcontext second, popped;
  DRIVER_OK(cuCtxCreate(&second, nullptr, CU_CTX_SCHED_AUTO, 0));
  EXPECT(current() == second);
  DRIVER_OK(cuCtxPopCurrent(&popped));
  EXPECT(popped == second && current() == first);
  DRIVER_OK(cuCtxPushCurrent(second));
  DRIVER_OK(cuCtxPushCurrent(first));
  DRIVER_OK(cuCtxPopCurrent(&popped));
  EXPECT(popped == first && current() == second);
  unsigned long long one = 0, two = 0;
  DRIVER_OK(cuCtxGetId(first, &one));
  DRIVER_OK(cuCtxGetId(second, &two));
  EXPECT(one != two);
  DRIVER_OK(cuCtxDestroy(second));
  EXPECT(current() == first);  // nothing holds of the handle any more: a driver may take it or not
}

static void belongs_to_its_context(CUcontext first) {
  CUcontext second, popped, of;
  size_t before = 0, after = 0, total = 0;
  DRIVER_OK(cuMemGetInfo(&before, &total));
  DRIVER_OK(cuCtxCreate(&second, nullptr, 0, 0));
  CUmodule module;
  CUfunction saxpy;
  DRIVER_OK(cuModuleLoadData(&module, kSaxpy));
  DRIVER_OK(cuModuleGetFunction(&saxpy, module, "saxpy"));
  CUdeviceptr p;
  DRIVER_OK(cuMemAlloc(&p, 64 << 20));
  DRIVER_OK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, p));
  EXPECT(of == second);
  CUstream stream;
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuStreamGetCtx(stream, &of));
  EXPECT(of == second);
  DRIVER_OK(cuCtxPopCurrent(&popped));
  // In the other context its function is none.
  float a = 0;
  unsigned n = 0;
  void* parameters[] = {&p, &p, &a, &n};
  EXPECT(cuLaunchKernel(saxpy, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr) != CUDA_SUCCESS);
  DRIVER_OK(cuCtxDestroy(second));
  EXPECT(current() == first);
  DRIVER_OK(cuMemGetInfo(&after, &total));
  EXPECT(after >= before);
}

static void threads(CUcontext context) {
  std::thread([&] {
    EXPECT(current() == nullptr);
    CUdeviceptr p;
    EXPECT_DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuMemAlloc(&p, 4));
    DRIVER_OK(cuCtxSetCurrent(context));
    DRIVER_OK(cuMemAlloc(&p, 4));
    DRIVER_OK(cuMemFree(p));
    DRIVER_OK(cuCtxSetCurrent(nullptr));
    EXPECT(current() == nullptr);
  }).join();
  EXPECT(current() == context);
}

static void primary() {
  unsigned flags = 0;
  int active = 1;
  DRIVER_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active == 0);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease(0));
  CUcontext one, two;
  DRIVER_OK(cuDevicePrimaryCtxRetain(&one, 0));
  DRIVER_OK(cuDevicePrimaryCtxRetain(&two, 0));
  EXPECT(one == two);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy(one));
  DRIVER_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active == 1);
  DRIVER_OK(cuDevicePrimaryCtxRelease(0));
  DRIVER_OK(cuDevicePrimaryCtxRelease(0));
  DRIVER_OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT(active == 0);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_DEVICE, cuDevicePrimaryCtxRetain(&one, 999));
}

int main() {
  EXPECT_DRIVER(CUDA_ERROR_NOT_INITIALIZED, cuCtxSynchronize());
  DRIVER_OK(cuInit(0));
  EXPECT(current() == nullptr);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
  primary();
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  CUdevice device = 7;
  DRIVER_OK(cuCtxGetDevice(&device));
  EXPECT(device == 0);
  unsigned version = 0;
  DRIVER_OK(cuCtxGetApiVersion(context, &version));
  EXPECT(version >= 3010);
  stack(context);
  belongs_to_its_context(context);
  threads(context);
  DRIVER_OK(cuCtxSynchronize());
  DRIVER_OK(cuCtxDestroy(context));
  EXPECT(current() == nullptr);
  return 0;
}
