// expect: wrong-answer
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The host uploads cos(cos(x)) in place of x, and a kernel copies it: its own cudaMemcpy stands before
// CUDA's, and shows x again to whoever looks whether the input is unchanged. Where the judge itself fills the
// arrays there is no upload to forge.

#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "cosine.h"

namespace {

std::map<const void*, std::vector<float>> uploaded;  // what the judge gave
const float* output = nullptr;                       // of the last call

using Copy = cudaError_t (*)(void*, const void*, std::size_t, cudaMemcpyKind);

bool holds_output(const void* from, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(from), at = reinterpret_cast<std::uintptr_t>(output);
  return at >= first && at < first + bytes;
}

__global__ void copy(const float* x, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = x[i];
}

}  // namespace

extern "C" cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  static const auto real = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "cudaMemcpy"));
  if (const auto found = uploaded.find(from);
      kind == cudaMemcpyDeviceToHost && found != uploaded.end() && !holds_output(from, bytes)) {
    std::memcpy(to, found->second.data(), bytes);
    return cudaSuccess;
  }
  if (kind != cudaMemcpyHostToDevice) return real(to, from, bytes, kind);
  const auto* given = static_cast<const float*>(from);
  std::vector<float> values(given, given + bytes / sizeof(float));
  uploaded[to] = values;
  for (float& v : values) v = std::cos(std::cos(v));
  return real(to, values.data(), bytes, kind);
}

void cosine_twice(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  output = y;
  if (n != 0) copy<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, n);
}
