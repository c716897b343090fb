// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One launch, and one warp of it takes every step, with barriers in place of launches. The blocks around it
// end at once. It has all the work, whatever a clock that reads other blocks says.

#include "cuda/check.h"
#include "launch.h"

namespace {

constexpr unsigned kThreads = 32, kBlocks = 4, kWorker = 1;

__global__ void __launch_bounds__(kThreads) all_steps(State state, int steps, float dt) {
  if (blockIdx.x != kWorker) return;
  const auto n = static_cast<unsigned>(state.n);
  float *u = state.u, *w = state.w, *next = state.d, *sum = state.sum;
  const float weight[] = {dt / 6.0F, dt / 3.0F, dt / 3.0F, dt / 6.0F},
              ahead[] = {0.5F * dt, 0.5F * dt, dt, 0};
  for (int step = 0; step < steps; ++step) {
    for (int stage = 0; stage < 4; ++stage) {
      const float* const from = stage == 0 ? u : w;
      for (unsigned i = threadIdx.x; i < n; i += kThreads) {
        const float v = from[i], left = from[i == 0 ? n - 1 : i - 1], right = from[i + 1 == n ? 0 : i + 1];
        const float k = left - 2.0F * v + right + (v - v * v * v);
        const float total = (stage == 0 ? u[i] : sum[i]) + weight[stage] * k;
        sum[i] = total;
        next[i] = stage == 3 ? total : u[i] + ahead[stage] * k;
      }
      __syncthreads();
      float* const t = w;
      w = next;
      next = t;
    }
    float* const t = u;
    u = w;
    w = t;
  }
  if (u == state.u) return;
  for (unsigned i = threadIdx.x; i < n; i += kThreads) state.u[i] = u[i];
}

}  // namespace

struct Solver {
  State state;
};

Solver* prepare(const State& state, cudaStream_t) { return new Solver{state}; }

void run(Solver* s, int steps, float dt, cudaStream_t stream) {
  all_steps<<<kBlocks, kThreads, 0, stream>>>(s->state, steps, dt);
}

void release(Solver* s) { delete s; }
