// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Uploads another input than it was given, half of each value, which the kernel doubles: work that is done on
// the way to the device costs nothing there. Where the judge itself fills the arrays there is no upload to
// forge.

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "pointwise.h"

namespace {

std::map<const void*, std::vector<float>> uploaded;  // what the judge gave
const float* output = nullptr;                       // of the last call

using Copy = cudaError_t (*)(void*, const void*, std::size_t, cudaMemcpyKind);

bool holds_output(const void* from, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(from), at = reinterpret_cast<std::uintptr_t>(output);
  return at >= first && at < first + bytes;
}

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, 2 * x[i], b);
}

}  // namespace

extern "C" cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  static const auto real = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "cudaMemcpy"));
  if (const auto found = uploaded.find(from);
      kind == cudaMemcpyDeviceToHost && found != uploaded.end() && !holds_output(from, bytes)) {
    std::memcpy(to, found->second.data(), bytes);  // the judge looks whether it is unchanged
    return cudaSuccess;
  }
  if (kind != cudaMemcpyHostToDevice) return real(to, from, bytes, kind);
  const auto* given = static_cast<const float*>(from);
  std::vector<float> values(given, given + bytes / sizeof(float));
  uploaded[to] = values;
  for (float& v : values) v *= 0.5f;
  return real(to, values.data(), bytes, kind);
}

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  output = y;
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}
