// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part A. A call is several steps in a row, each with gradients of its own. State is changed in
// place, so each call first brings weights, moments and scaler to where they begin: one read and one write of
// everything, 28 bytes a parameter, as many as a step moves.

#include <vector>

#include "adam_step.h"
#include "cuda/check.h"
#include "worker/worker.h"

namespace {

constexpr int kBlock = 256;
constexpr std::size_t kAlign = 8;  // gradients of a step begin at multiples of this many elements

Optimizer* optimizer = nullptr;

/// What changes in place: where it is, and what it is at first.
struct State {
  float *w, *m, *v;
  half* h;
  const float *w0, *m0, *v0;
  const half* h0;
  std::size_t n;
};

// A thread has eight elements; sixteen bytes at a time where addresses allow it.
template <class T>
__device__ void copy8(T* to, const T* from, std::size_t first, std::size_t n) {
  const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (places % 16 != 0 || first + 8 > n) {
    for (std::size_t i = first; i < min(first + 8, n); ++i) to[i] = from[i];
    return;
  }
  constexpr int kPieces = 8 * sizeof(T) / 16;
  for (int i = 0; i < kPieces; ++i)
    reinterpret_cast<uint4*>(to + first)[i] = reinterpret_cast<const uint4*>(from + first)[i];
}

__global__ void begin_again(State s, Scaler* scaler, Scaler first) {
  const std::size_t i = 8 * (blockIdx.x * std::size_t{kBlock} + threadIdx.x);
  if (i == 0) *scaler = first;
  if (i >= s.n) return;
  copy8(s.w, s.w0, i, s.n);
  copy8(s.m, s.m0, i, s.n);
  copy8(s.v, s.v0, i, s.n);
  copy8(s.h, s.h0, i, s.n);
}

void prepare(const half*, const float*, const float*, const float*, const half*, const std::uint32_t* sizes,
             float* w, float* m, float* v, half* h, std::uint32_t*, int, int count, std::size_t, float,
             std::uint32_t, float, float, float, float, std::uint32_t, cudaStream_t stream) {
  std::vector<std::uint32_t> numbers(static_cast<std::size_t>(count));
  CUDA_CHECK(cudaMemcpyAsync(numbers.data(), sizes, numbers.size() * sizeof(std::uint32_t),
                             cudaMemcpyDeviceToHost, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  std::vector<Tensor> tensors;
  std::size_t at = 0;
  for (const std::uint32_t size : numbers) {
    tensors.push_back({w + at, m + at, v + at, h + at, at, size});
    at += size;
  }
  optimizer = adam_prepare(tensors.data(), count, stream);
}

void call(const half* gradients, const float* w0, const float* m0, const float* v0, const half* h0,
          const std::uint32_t*, float* w, float* m, float* v, half* h, std::uint32_t* scaler, int steps, int,
          std::size_t n, float scale, std::uint32_t step, float rate, float beta1, float beta2, float epsilon,
          std::uint32_t interval, cudaStream_t stream) {
  if (optimizer == nullptr) return;  // adam_prepare still has to be written
  auto* const on_device = reinterpret_cast<Scaler*>(scaler);
  const auto blocks = static_cast<unsigned>(n / (8 * kBlock) + 1);  // one at least: the scaler begins, too
  begin_again<<<blocks, kBlock, 0, stream>>>({w, m, v, h, w0, m0, v0, h0, n}, on_device, {scale, 0, step});
  CUDA_CHECK(cudaGetLastError());
  const std::size_t distance = (n + kAlign - 1) / kAlign * kAlign;
  for (int k = 0; k < steps; ++k)
    adam_step(optimizer, gradients + k * distance, on_device, {rate, beta1, beta2, epsilon, interval},
              stream);
}

void release() {
  if (optimizer != nullptr) adam_release(optimizer);
  optimizer = nullptr;
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(prepare, call, release, argc, argv); }
