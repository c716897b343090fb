// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What the driver's compiler and linker say about PTX that is wrong.
#include <cstring>
#include <string>

#include "driver_link.h"

static void a_function_is_missing() {
  Log log;
  CUlinkState link;
  DRIVER_OK(cuLinkCreate(5, log.options, log.values, &link));
  DRIVER_OK(add_ptx(link, kCaller, "caller.ptx"));
  void* image = nullptr;
  size_t bytes = 0;
  EXPECT(cuLinkComplete(link, &image, &bytes) != CUDA_SUCCESS);
  EXPECT(std::strstr(log.errors, "square") != nullptr);
  DRIVER_OK(cuLinkDestroy(link));
}

static void bad_ptx() {
  Log log;
  CUmodule module;
  const std::string bad = kHead + ".visible .entry k()\n{\n  mov.u32 %r1, ;\n  ret;\n}\n";
  EXPECT_DRIVER(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&module, bad.c_str(), 5, log.options, log.values));
  EXPECT(std::strstr(log.errors, "6") != nullptr);  // the line
  const size_t told = reinterpret_cast<size_t>(log.values[1]);
  EXPECT(told > 0 && told < sizeof log.errors);

  Log other;
  CUlinkState link;
  DRIVER_OK(cuLinkCreate(5, other.options, other.values, &link));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_PTX, add_ptx(link, bad, "bad.ptx"));
  EXPECT(other.errors[0] != '\0');
  DRIVER_OK(cuLinkDestroy(link));
}

/// A buffer that is too small is filled and closed.
static void short_log() {
  char errors[8];
  std::memset(errors, 'x', sizeof errors);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {errors, reinterpret_cast<void*>(4)};
  CUmodule module;
  EXPECT_DRIVER(CUDA_ERROR_INVALID_PTX,
                cuModuleLoadDataEx(&module, (kHead + "nonsense").c_str(), 2, options, values));
  EXPECT(std::memchr(errors, '\0', 4) != nullptr && errors[4] == 'x');
}

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  a_function_is_missing();
  bad_ptx();
  short_log();
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
