// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: a module from PTX text, its function launched with both kinds of parameters, its variables.
// nvcc: -lcuda -Xcompiler -Wno-deprecated-declarations
#include <string>
#include <vector>

#include "driver.h"

constexpr unsigned kCount = 1000;

struct Arrays {
  CUdeviceptr x = 0, y = 0;
  Arrays() {
    DRIVER_OK(cuMemAlloc(&x, kCount * sizeof(float)));
    DRIVER_OK(cuMemAlloc(&y, kCount * sizeof(float)));
    std::vector<float> values(kCount);
    for (unsigned i = 0; i < kCount; i++) values[i] = static_cast<float>(i);
    DRIVER_OK(cuMemcpyHtoD(x, values.data(), kCount * sizeof(float)));
    DRIVER_OK(cuMemsetD32(y, 0x3f800000, kCount));  // 1.0f
  }
  ~Arrays() {
    DRIVER_OK(cuMemFree(x));
    DRIVER_OK(cuMemFree(y));
  }
  /// Whether y[i] == slope * i + offset.
  bool holds(float slope, float offset) const {
    std::vector<float> values(kCount);
    DRIVER_OK(cuMemcpyDtoH(values.data(), y, kCount * sizeof(float)));
    for (unsigned i = 0; i < kCount; i++)
      if (values[i] != slope * static_cast<float>(i) + offset) return false;
    return true;
  }
};

static void launches(CUfunction saxpy) {
  Arrays arrays;
  float a = 2;
  unsigned n = kCount;
  void* parameters[] = {&arrays.x, &arrays.y, &a, &n};
  DRIVER_OK(cuLaunchKernel(saxpy, 8, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT(arrays.holds(2, 1));

  struct {
    CUdeviceptr x, y;
    float a;
    unsigned n;
  } packed{arrays.x, arrays.y, 3, kCount};
  size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  DRIVER_OK(cuLaunchKernel(saxpy, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT(arrays.holds(5, 1));

  CUlaunchConfig config{};
  config.gridDimX = 8;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128;
  config.blockDimY = config.blockDimZ = 1;
  DRIVER_OK(cuLaunchKernelEx(&config, saxpy, parameters, nullptr));
  EXPECT(arrays.holds(7, 1));

  bytes = 20;  // without n, which is not seen
  DRIVER_OK(cuLaunchKernel(saxpy, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE,
                cuLaunchKernel(saxpy, 8, 1, 1, 128, 1, 1, 0, nullptr, parameters, extra));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE,
                cuLaunchKernel(saxpy, 8, 1, 1, 2048, 1, 1, 0, nullptr, parameters, nullptr));
}

// As before CUDA 4.0: what a launch needs is set for the function, one by one, and stays set.
static void old_launches(CUfunction saxpy) {
  Arrays arrays;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuLaunchGrid(saxpy, 8, 1));  // no block yet
  DRIVER_OK(cuFuncSetBlockShape(saxpy, 128, 1, 1));
  DRIVER_OK(cuFuncSetSharedSize(saxpy, 0));
  DRIVER_OK(cuParamSetv(saxpy, 0, &arrays.x, sizeof arrays.x));
  DRIVER_OK(cuParamSetv(saxpy, 8, &arrays.y, sizeof arrays.y));
  DRIVER_OK(cuParamSetf(saxpy, 16, 2));
  DRIVER_OK(cuParamSeti(saxpy, 20, kCount));
  DRIVER_OK(cuParamSetSize(saxpy, 24));
  DRIVER_OK(cuLaunchGrid(saxpy, 8, 1));
  EXPECT(arrays.holds(2, 1));
  CUstream stream;
  DRIVER_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  DRIVER_OK(cuStreamSynchronize(nullptr));
  DRIVER_OK(cuParamSetf(saxpy, 16, 3));
  DRIVER_OK(cuLaunchGridAsync(saxpy, 8, 1, stream));
  DRIVER_OK(cuStreamSynchronize(stream));
  EXPECT(arrays.holds(5, 1));
  DRIVER_OK(cuStreamDestroy(stream));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuFuncSetBlockShape(saxpy, 0, 1, 1));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuParamSetSize(saxpy, 1 << 20));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuParamSeti(saxpy, -4, 1));
}

static void functions(CUmodule module) {
  CUfunction saxpy, none;
  DRIVER_OK(cuModuleGetFunction(&saxpy, module, "saxpy"));
  EXPECT_DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&none, module, "daxpy"));
  unsigned count = 0;
  DRIVER_OK(cuModuleGetFunctionCount(&count, module));
  EXPECT(count == 1);
  const char* name = nullptr;
  DRIVER_OK(cuFuncGetName(&name, saxpy));
  EXPECT(std::string(name) == "saxpy");
  CUmodule of = nullptr;
  DRIVER_OK(cuFuncGetModule(&of, saxpy));
  EXPECT(of == module);
  int threads = 0, registers = 0;
  DRIVER_OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, saxpy));
  DRIVER_OK(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, saxpy));
  EXPECT(threads == 1024 && registers > 0);
  size_t offset = 0, size = 0;
  DRIVER_OK(cuFuncGetParamInfo(saxpy, 2, &offset, &size));
  EXPECT(offset == 16 && size == 4);
  int blocks = 0, grid = 0, block = 0;
  DRIVER_OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, saxpy, 256, 0));
  EXPECT(blocks > 0);
  DRIVER_OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, saxpy, nullptr, 0, 0));
  EXPECT(block >= 512 && grid > 0);
  launches(saxpy);
  old_launches(saxpy);
}

static void variables(CUmodule module) {
  CUdeviceptr calls = 0, bias = 0;
  size_t bytes = 0;
  DRIVER_OK(cuModuleGetGlobal(&calls, &bytes, module, "calls"));
  EXPECT(bytes == 4);
  unsigned value = 0;
  DRIVER_OK(cuMemcpyDtoH(&value, calls, sizeof value));
  EXPECT(value == 7);
  EXPECT_DRIVER(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&calls, &bytes, module, "nothing"));
  DRIVER_OK(cuModuleGetGlobal(&bias, nullptr, module, "bias"));
  const float ten = 10, none = 0;
  DRIVER_OK(cuMemcpyHtoD(bias, &ten, sizeof ten));
  CUfunction saxpy;
  DRIVER_OK(cuModuleGetFunction(&saxpy, module, "saxpy"));
  Arrays arrays;
  float a = 1;
  unsigned n = kCount;
  void* parameters[] = {&arrays.x, &arrays.y, &a, &n};
  DRIVER_OK(cuLaunchKernel(saxpy, 8, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT(arrays.holds(1, 11));
  DRIVER_OK(cuMemcpyHtoD(bias, &none, sizeof none));
}

int main() {
  CUmodule module;
  EXPECT_DRIVER(CUDA_ERROR_NOT_INITIALIZED, cuModuleLoadData(&module, kSaxpy));
  DRIVER_OK(cuInit(0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_CONTEXT, cuModuleLoadData(&module, kSaxpy));
  CUcontext context;
  DRIVER_OK(cuDevicePrimaryCtxRetain(&context, 0));
  DRIVER_OK(cuCtxSetCurrent(context));
  EXPECT_DRIVER(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&module, "/no/such/file.ptx"));
  DRIVER_OK(cuModuleLoadData(&module, kSaxpy));
  functions(module);
  variables(module);
  DRIVER_OK(cuModuleUnload(module));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_HANDLE, cuModuleUnload(module));
  DRIVER_OK(cuDevicePrimaryCtxRelease(0));
  return 0;
}
