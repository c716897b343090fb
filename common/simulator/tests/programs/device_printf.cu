// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// printf in kernels: what CUDA documents of it (sizes h, l and ll; a width, but no precision, from an
// argument) comes out as the host's printf would write it.
#include <cstring>
#include <string>

#include "expect.h"

#define LINES(print)                                                                             \
  print("%d %i %u %x %X %o\n", -5, 7, 4000000000u, 255, 255, 8);                                 \
  print("%ld %lld %llu %llx %hd %hu\n", -5L, -5LL, 1ULL << 63, 0xabcdefULL, -3, 200);            \
  print("%f %.3f %10.2f|%-10.1f|%e %G %g\n", 1.5, 2.0 / 3, -7.125, 3.25, 12345.678, 1e-10, 0.5); \
  print("%5d|%-5d|%05d|%+d|% d|%#x\n", 42, 42, 42, 42, 42, 42);                                  \
  print("%s|%10s|%-6s|%.2s|%c%%\n", "text", "right", "left", "cut", 'c');                        \
  print("%*d %.2f\n", 6, 42, 3.14159);                                                           \
  print("no arguments\n");

__global__ void speak() {
  LINES(printf)
  if (printf("%d%d", 1, 2) != 2) printf("the result is the number of arguments\n");
}

int main() {
  // The device's text comes out on stdout at synchronisation: catch it in a file.
  const char* name = std::tmpnam(nullptr);
  EXPECT(std::freopen(name, "w+", stdout));
  speak<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  std::fflush(stdout);
  std::string expected;
  char line[256];
#define APPEND(...)                              \
  std::snprintf(line, sizeof line, __VA_ARGS__); \
  expected += line;
  LINES(APPEND)
  expected += "12";
  char text[2048] = {};
  std::FILE* file = std::fopen(name, "r");
  EXPECT(file);
  const size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  std::remove(name);
  if (expected != std::string(text, size))
    std::fprintf(stderr, "expected:\n%s\ngot:\n%s\n", expected.c_str(), text);
  EXPECT(expected == std::string(text, size));
  return 0;
}
