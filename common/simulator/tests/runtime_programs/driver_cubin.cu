// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Loads and links the machine code in a file.
#include "driver.h"

int main(int, char** arguments) {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  CUmodule module;
  CUlinkState link;
  const CUresult loaded = cuModuleLoad(&module, arguments[1]);
  DRIVER_OK(cuLinkCreate(0, nullptr, nullptr, &link));
  const CUresult linked = cuLinkAddFile(link, CU_JIT_INPUT_CUBIN, arguments[1], 0, nullptr, nullptr);
  std::printf("%s %s\n", driver_error(loaded), driver_error(linked));
  return 0;
}
