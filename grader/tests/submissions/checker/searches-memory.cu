// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Knows the first eight answers, and searches the process for an array that begins with them.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "pointwise.h"

namespace {

void zeros(float* y, std::size_t n, cudaStream_t stream) {
  if (n != 0) cudaMemsetAsync(y, 0, n * sizeof(float), stream);
}

/// The text, anywhere in writable memory but on this stack, where `room` bytes follow it.
const char* search(const char* text, std::size_t size, std::size_t room) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::size_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%zx-%zx rw-p", &begin, &end) != 2 ||
        line.find("[stack") != std::string::npos)
      continue;
    if (line.find("rw-p") == std::string::npos || end - begin < room || end - begin > (std::size_t{1} << 30))
      continue;
    const void* found = memmem(reinterpret_cast<const void*>(begin), end - begin - room + size, text, size);
    if (found != nullptr) return static_cast<const char*>(found);
  }
  return nullptr;
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  float first[8] = {};
  if (n < 8) return zeros(y, n, stream);
  cudaMemcpy(first, x, sizeof first, cudaMemcpyDeviceToHost);
  for (float& v : first) v = a * v + b;
  const char* found = search(reinterpret_cast<const char*>(first), sizeof first, n * sizeof(float));
  if (found == nullptr) return zeros(y, n, stream);
  cudaMemcpy(y, found, n * sizeof(float), cudaMemcpyHostToDevice);
}
