// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernels in shared libraries: one linked, one opened while the program runs, closed and opened again.
#include <dlfcn.h>

#include <string>

#include "expect.h"

int twice(int x);  // from the linked library

__global__ void square(int* p) { *p *= *p; }

int main(int, char** argv) {
  EXPECT(twice(21) == 42);
  int* p;
  OK(cudaMallocManaged(&p, sizeof(int)));
  *p = 9;
  square<<<1, 1>>>(p);
  OK(cudaDeviceSynchronize());
  EXPECT(*p == 81);
  const std::string path = std::string(argv[0]) + "-plugin.so";
  for (int round = 0; round < 3; round++) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) std::fprintf(stderr, "%s\n", dlerror());
    EXPECT(library);
    auto* const plugin = reinterpret_cast<int (*)(int)>(dlsym(library, "plugin"));
    EXPECT(plugin);
    EXPECT(plugin(5) == 1005);  // its variable starts anew each time
    EXPECT(plugin(6) == 1011);
    EXPECT(dlclose(library) == 0);
  }
  *p = 5;
  square<<<1, 1>>>(p);
  OK(cudaDeviceSynchronize());
  EXPECT(*p == 25);
  return 0;
}
