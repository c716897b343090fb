// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include "state.h"

/// One step of du/dt = u'' + u - u^3 on a ring by the classic Runge-Kutta method, written as a framework
/// without fusion runs it: a kernel for each operation. Four stages of five kernels:
///
///     diffuse      d = in[i-1] - 2 in[i] + in[i+1]        in: u in stage 0, then w
///     react        r = in - in^3
///     slope        k = d + r
///     accumulate   sum = u + dt/6 k in stage 0, sum += dt/3 k, dt/3 k, dt/6 k
///     advance      w = u + dt/2 k, dt/2 k, dt k; in stage 3  u = sum
///
/// All have the same two parameters, (State, float), so whatever launches or updates one does it for all:
/// kChain[0] to kChain[19], in this order.

inline constexpr unsigned kBlock = 256;

__device__ inline unsigned point() { return blockIdx.x * kBlock + threadIdx.x; }

template <int STAGE>
__device__ const float* input(const State& s) {
  return STAGE == 0 ? s.u : s.w;
}

template <int STAGE>
__global__ void diffuse(State s, float) {
  const unsigned i = point(), n = static_cast<unsigned>(s.n);
  if (i >= n) return;
  const float* in = input<STAGE>(s);
  s.d[i] = in[i == 0 ? n - 1 : i - 1] - 2.0F * in[i] + in[i == n - 1 ? 0 : i + 1];
}

template <int STAGE>
__global__ void react(State s, float) {
  const unsigned i = point();
  if (i >= s.n) return;
  const float v = input<STAGE>(s)[i];
  s.r[i] = v - v * v * v;
}

template <int STAGE>
__global__ void slope(State s, float) {
  const unsigned i = point();
  if (i < s.n) s.k[i] = s.d[i] + s.r[i];
}

template <int STAGE>
__global__ void accumulate(State s, float dt) {
  const unsigned i = point();
  if (i >= s.n) return;
  const float weight = STAGE == 0 || STAGE == 3 ? dt / 6.0F : dt / 3.0F;
  s.sum[i] = (STAGE == 0 ? s.u[i] : s.sum[i]) + weight * s.k[i];
}

template <int STAGE>
__global__ void advance(State s, float dt) {
  const unsigned i = point();
  if (i >= s.n) return;
  if (STAGE == 3)
    s.u[i] = s.sum[i];
  else
    s.w[i] = s.u[i] + (STAGE == 2 ? dt : 0.5F * dt) * s.k[i];
}

using ChainKernel = void (*)(State, float);
inline constexpr int kChainLength = 20;
inline const ChainKernel kChain[kChainLength] = {
    diffuse<0>, react<0>, slope<0>, accumulate<0>, advance<0>,  //
    diffuse<1>, react<1>, slope<1>, accumulate<1>, advance<1>,  //
    diffuse<2>, react<2>, slope<2>, accumulate<2>, advance<2>,  //
    diffuse<3>, react<3>, slope<3>, accumulate<3>, advance<3>,
};

inline unsigned blocks(const State& s) { return static_cast<unsigned>((s.n + kBlock - 1) / kBlock); }
