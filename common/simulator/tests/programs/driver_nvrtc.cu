// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// NVRTC with the driver API: a kernel compiled while the program runs, as PTX and as what NVRTC calls machine
// code.
// nvcc: -lcuda -lnvrtc
#include <nvrtc.h>

#include <string>
#include <vector>

#include "driver.h"

#define NVRTC_OK(call) EXPECT_VALUE(NVRTC_SUCCESS, call)

static const char* const kSource = R"(
extern "C" __global__ void scale(float* x, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
)";

/// The code for this device: `kind` is "compute" or "sm".
static std::string compiled(const std::string& kind) {
  int major = 0, minor = 0;
  DRIVER_OK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
  DRIVER_OK(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0));
  const std::string option = "--gpu-architecture=" + kind + "_" + std::to_string(major * 10 + minor);
  const char* options[] = {option.c_str()};
  nvrtcProgram program;
  NVRTC_OK(nvrtcCreateProgram(&program, kSource, "scale.cu", 0, nullptr, nullptr));
  NVRTC_OK(nvrtcCompileProgram(program, 1, options));
  size_t bytes = 0;
  NVRTC_OK(kind == "sm" ? nvrtcGetCUBINSize(program, &bytes) : nvrtcGetPTXSize(program, &bytes));
  EXPECT(bytes > 0);
  std::string code(bytes, '\0');
  NVRTC_OK(kind == "sm" ? nvrtcGetCUBIN(program, code.data()) : nvrtcGetPTX(program, code.data()));
  NVRTC_OK(nvrtcDestroyProgram(&program));
  return code;
}

static void run(const std::string& code) {
  CUmodule module;
  CUfunction scale;
  DRIVER_OK(cuModuleLoadData(&module, code.data()));
  DRIVER_OK(cuModuleGetFunction(&scale, module, "scale"));
  std::vector<float> values(100);
  for (int i = 0; i < 100; i++) values[i] = static_cast<float>(i);
  CUdeviceptr x;
  DRIVER_OK(cuMemAlloc(&x, 400));
  DRIVER_OK(cuMemcpyHtoD(x, values.data(), 400));
  float factor = 3;
  int n = 100;
  void* parameters[] = {&x, &factor, &n};
  DRIVER_OK(cuLaunchKernel(scale, 1, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
  DRIVER_OK(cuMemcpyDtoH(values.data(), x, 400));
  for (int i = 0; i < 100; i++) EXPECT(values[i] == 3 * static_cast<float>(i));
  DRIVER_OK(cuMemFree(x));
  DRIVER_OK(cuModuleUnload(module));
}

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  run(compiled("compute"));
  run(compiled("sm"));
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
