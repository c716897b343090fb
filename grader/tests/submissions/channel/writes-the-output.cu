// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Computes on the host and puts the answers where the outputs are fetched to, in place of what the device
// has: its own cudaMemcpy stands before CUDA's. The device runs a kernel that only takes the right time.

#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <vector>

#include "pointwise.h"

namespace {

std::map<std::uintptr_t, std::vector<float>>
    uploaded;                                          // what the host knows of each input, by its first byte
std::map<std::uintptr_t, std::vector<float>> answers;  // by where they belong

using Copy = cudaError_t (*)(void*, const void*, std::size_t, cudaMemcpyKind);

std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

__global__ void wait(float* y, int steps) {
  float v = 1;
  for (int i = 0; i < steps; ++i) v = fmaf(v, 1.0001f, 0.5f);
  if (v == 0) *y = v;
}

}  // namespace

extern "C" cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  static const auto real = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "cudaMemcpy"));
  if (kind == cudaMemcpyHostToDevice) {
    const auto* values = static_cast<const float*>(from);
    uploaded[address(to)].assign(values, values + bytes / sizeof(float));
  }
  const cudaError_t error = real(to, from, bytes, kind);
  const auto found = answers.lower_bound(address(from));
  if (kind == cudaMemcpyDeviceToHost && found != answers.end() && found->first < address(from) + bytes)
    std::memcpy(static_cast<char*>(to) + (found->first - address(from)), found->second.data(),
                found->second.size() * sizeof(float));
  return error;
}

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  std::vector<float> values(n);
  if (uploaded.empty()) {
    cudaMemcpyAsync(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaStreamSynchronize(stream);
  } else {
    const auto image = std::prev(uploaded.upper_bound(address(x)));
    const float* input = image->second.data() + (address(x) - image->first) / sizeof(float);
    values.assign(input, input + n);
  }
  for (float& v : values) v = std::fma(a, v, b);
  answers.clear();
  answers[address(y)] = std::move(values);
  // 3.7 ns a step; 8 bytes an element at 1250 GB/s.
  wait<<<1, 32, 0, stream>>>(y, static_cast<int>(static_cast<double>(n) * 8 / 1250 / 3.7));
}
