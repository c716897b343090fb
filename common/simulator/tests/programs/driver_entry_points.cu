// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver's functions found by name: cuGetProcAddress, dlsym and the runtime give the same, each in its
// version.
// nvcc: -lcuda
#include <dlfcn.h>

#include "driver.h"

/// The library exports `exported`, which programs for that CUDA version call `base`; both APIs find it.
static void expect(const char* base, int version, const char* exported, cuuint64_t flags = 0) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  EXPECT(library != nullptr && dlsym(library, exported) != nullptr);
  void* found = nullptr;
  CUdriverProcAddressQueryResult why;
  DRIVER_OK(cuGetProcAddress(base, &found, version, flags, &why));
  EXPECT(found != nullptr && why == CU_GET_PROC_ADDRESS_SUCCESS);
  void* again = nullptr;
  cudaDriverEntryPointQueryResult answer;
  OK(cudaGetDriverEntryPointByVersion(
      base, &again, version, flags ? cudaEnablePerThreadDefaultStream : cudaEnableLegacyStream, &answer));
  EXPECT(again == found && answer == cudaDriverEntryPointSuccess);
}

int main() {
  DRIVER_OK(cuInit(0));
  expect("cuMemAlloc", 12000, "cuMemAlloc_v2");
  expect("cuMemcpyHtoDAsync", 13000, "cuMemcpyHtoDAsync_v2_ptsz",
         CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM);

  // Two versions of one function differ in their parameters.
  void* found = nullptr;
  CUdriverProcAddressQueryResult why;
  CUcontext context = nullptr;
  DRIVER_OK(cuGetProcAddress("cuCtxCreate", &found, 12000, 0, &why));  // with lists of affinities
  DRIVER_OK(reinterpret_cast<CUresult (*)(CUcontext*, CUexecAffinityParam*, int, unsigned, CUdevice)>(found)(
      &context, nullptr, 0, 0, 0));
  DRIVER_OK(cuCtxDestroy(context));
  DRIVER_OK(cuGetProcAddress("cuCtxCreate", &found, 4000, 0, &why));
  DRIVER_OK(reinterpret_cast<CUresult (*)(CUcontext*, unsigned, CUdevice)>(found)(&context, 0, 0));
  CUdevice device = 9;
  DRIVER_OK(cuGetProcAddress("cuCtxGetDevice", &found, 13000, 0, nullptr));
  DRIVER_OK(reinterpret_cast<CUresult (*)(CUdevice*, CUcontext)>(found)(&device, context));
  EXPECT(device == 0);
  DRIVER_OK(cuCtxDestroy(context));

  DRIVER_OK(cuGetProcAddress("cuNoSuchFunction", &found, 13000, 0, &why));
  EXPECT(found == nullptr && why == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  DRIVER_OK(cuGetProcAddress("cuGraphLaunch", &found, 9000, 0, &why));
  EXPECT(found == nullptr && why == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", &found, 13000, 3, &why));
  return 0;
}
