// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// No line at all: the whole step is one kernel. A block keeps its points and, on either side, four neighbours
// for the four stages; what it computes at the margin is computed twice. u and w take turns, so that no block
// overwrites what another still reads. Only bytes and FLOPs bound this one: it leaves the node roof behind.

#include <utility>

#include "cuda/check.h"
#include "launch.h"

namespace {

constexpr unsigned kInner = 248, kHalo = 4, kThreads = kInner + 2 * kHalo;

/// One step from `from` to `to`. Threads at the margin compute with wrong neighbours, one more on either side
/// a stage, and the four of them write nothing.
__global__ void whole_step(const float* from, float* to, unsigned n, float dt) {
  __shared__ float w[2][kThreads];
  const unsigned t = threadIdx.x, first = blockIdx.x * kInner;
  const unsigned i = (first + t + n * kHalo - kHalo) % n;  // n may be less than the halo
  const float u = from[i];
  float sum = u, v = u;
  const float weight[] = {dt / 6.0F, dt / 3.0F, dt / 3.0F, dt / 6.0F},
              ahead[] = {0.5F * dt, 0.5F * dt, dt, 0};
#pragma unroll
  for (int stage = 0; stage < 4; ++stage) {
    w[stage % 2][t] = v;
    __syncthreads();
    const float left = w[stage % 2][t == 0 ? 0 : t - 1],
                right = w[stage % 2][t == kThreads - 1 ? kThreads - 1 : t + 1];
    const float k = left - 2.0F * v + right + (v - v * v * v);
    sum += weight[stage] * k;
    v = u + ahead[stage] * k;
  }
  if (t >= kHalo && t < kThreads - kHalo && first + t - kHalo < n) to[i] = sum;
}

}  // namespace

struct Solver {
  State state;
};

Solver* prepare(const State& state, cudaStream_t) { return new Solver{state}; }

void run(Solver* s, int steps, float dt, cudaStream_t stream) {
  const auto n = static_cast<unsigned>(s->state.n);
  float *from = s->state.u, *to = s->state.w;
  for (int step = 0; step < steps; ++step) {
    whole_step<<<(n + kInner - 1) / kInner, kThreads, 0, stream>>>(from, to, n, dt);
    std::swap(from, to);
  }
  if (from != s->state.u)
    CUDA_CHECK(cudaMemcpyAsync(s->state.u, from, n * sizeof(float), cudaMemcpyDeviceToDevice, stream));
}

void release(Solver* s) { delete s; }
