// expect: fail timeout; naive: hangs
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Right, and late each time by less than one step may take: while memory is copied, while work is waited for,
// and in the call.

#include <dlfcn.h>
#include <unistd.h>

#include "pointwise.h"

namespace {

constexpr unsigned kLate = 1'200'000;

using Wait = cudaError_t (*)(cudaStream_t);
using Copy = cudaError_t (*)(void*, const void*, std::size_t, cudaMemcpyKind);

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  static const auto real = reinterpret_cast<Wait>(dlsym(RTLD_NEXT, "cudaStreamSynchronize"));
  usleep(kLate);
  return real(stream);
}

extern "C" cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  static const auto real = reinterpret_cast<Copy>(dlsym(RTLD_NEXT, "cudaMemcpy"));
  usleep(kLate);
  return real(to, from, bytes, kind);
}

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  usleep(kLate);
  honest(x, y, a, b, n, stream);
}
