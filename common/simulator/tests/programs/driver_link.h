// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "driver.h"

/// For programs about the driver's linker and compiler: PTX that calls a function of another file, and logs.
inline const std::string kHead = ".version 7.0\n.target sm_75\n.address_size 64\n";
inline const std::string kCaller = kHead + R"(
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

inline CUresult add_ptx(CUlinkState link, const std::string& ptx, const char* name) {
  return cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1, name, 0,
                       nullptr, nullptr);
}
