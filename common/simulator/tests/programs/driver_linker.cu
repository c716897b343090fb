// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver's compiler and linker: two PTX texts become one image; what the logs tell.
// nvcc: -lcuda
#include <cstring>
#include <string>
#include <vector>

#include "driver_link.h"

static const std::string kSquare =
    kHead + ".visible .func (.reg .u32 r) square(.reg .u32 x)\n{\n  mul.lo.u32 r, x, x;\n  ret;\n}\n";

static void two_texts() {
  Log log;
  CUlinkState link;
  DRIVER_OK(cuLinkCreate(5, log.options, log.values, &link));
  DRIVER_OK(add_ptx(link, kCaller, "caller.ptx"));
  DRIVER_OK(add_ptx(link, kSquare, "square.ptx"));
  void* image = nullptr;
  size_t bytes = 0;
  DRIVER_OK(cuLinkComplete(link, &image, &bytes));
  EXPECT(image != nullptr && bytes > 0);
  const std::vector<char> copy(static_cast<char*>(image), static_cast<char*>(image) + bytes);
  DRIVER_OK(cuLinkDestroy(link));  // the copy does not need it
  CUmodule module;
  DRIVER_OK(cuModuleLoadData(&module, copy.data()));
  CUfunction squares;
  DRIVER_OK(cuModuleGetFunction(&squares, module, "squares"));
  CUdeviceptr p;
  DRIVER_OK(cuMemAlloc(&p, 128));
  void* parameters[] = {&p};
  DRIVER_OK(cuLaunchKernel(squares, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr));
  unsigned values[32];
  DRIVER_OK(cuMemcpyDtoH(values, p, sizeof values));
  for (unsigned i = 0; i < 32; i++) EXPECT(values[i] == i * i);
  DRIVER_OK(cuMemFree(p));
  DRIVER_OK(cuModuleUnload(module));
}

static void good_ptx() {
  Log log;
  CUmodule module;
  DRIVER_OK(cuModuleLoadDataEx(&module, kSaxpy, 5, log.options, log.values));
  EXPECT(log.errors[0] == '\0');  // whether there is something to say otherwise is the driver's affair
  DRIVER_OK(cuModuleUnload(module));
}

int main() {
  DRIVER_OK(cuInit(0));
  CUcontext context;
  DRIVER_OK(cuCtxCreate(&context, nullptr, 0, 0));
  two_texts();
  good_ptx();
  DRIVER_OK(cuCtxDestroy(context));
  return 0;
}
