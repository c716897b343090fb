// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// What the driver's compiler and linker say about PTX that is wrong.
#include <cstring>
#include <string>

#include "driver.h"

static const std::string kHead = ".version 7.0\n.target sm_75\n.address_size 64\n";
static const std::string kCaller = kHead + R"(
.extern .func (.reg .u32 r) square(.reg .u32 x);
.visible .entry squares(.param .u64 p)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  call (%r2), square, (%r1);
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

/// Options with a log for errors, one for news, and their sizes.
struct Log {
  char errors[4096] = {}, info[4096] = {};
  CUjit_option options[5] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                             CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE};
  void* values[5] = {errors, reinterpret_cast<void*>(sizeof errors), info,
                     reinterpret_cast<void*>(sizeof info), reinterpret_cast<void*>(1)};
};

static CUresult add(CUlinkState link, const std::string& ptx, const char* name) {
  return cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1, name, 0,
                       nullptr, nullptr);
}

static void a_function_is_missing() {
  Log log;
  CUlinkState link;
  DRIVER_OK(cuLinkCreate(5, log.options, log.values, &link));
  DRIVER_OK(add(link, kCaller, "caller.ptx"));
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
  EXPECT_DRIVER(CUDA_ERROR_INVALID_PTX, add(link, bad, "bad.ptx"));
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
