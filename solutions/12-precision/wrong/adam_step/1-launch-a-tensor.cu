// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two launches for each tensor, as a loop over tensors does it.

#include "adam_step.h"
#include "chunks.h"

namespace {

constexpr int kThreads = 256;

struct Decision {
  std::uint32_t overflow;         // 0 between steps
  bool update;                    // what the second kernel needs to know:
  float unscale, rate, v_factor;  // 1 / scale, rate / (1 - beta1^t), 1 / (1 - beta2^t)
};

// The exponent of infinity and of a NaN is all ones.
__device__ bool overflowed(half g) { return (__half_as_ushort(g) & 0x7c00) == 0x7c00; }

__device__ void decide(Decision& decision, Scaler& scaler, const Adam& adam) {
  const bool overflow = atomicExch(&decision.overflow, 0) != 0;
  const float scale = scaler.scale;
  decision.update = !overflow;
  if (overflow) {
    scaler.scale = 0.5F * scale;
    scaler.good = 0;
    return;
  }
  const std::uint32_t t = ++scaler.step;
  decision.unscale = 1 / scale;
  decision.rate = adam.rate / one_less_power(adam.beta1, t);
  decision.v_factor = 1 / one_less_power(adam.beta2, t);
  if (++scaler.good < adam.interval) return;
  scaler.scale = 2 * scale;
  scaler.good = 0;
}

__global__ void look(const half* gradients, Tensor t, Decision* decision) {
  const std::size_t i = blockIdx.x * std::size_t(kThreads) + threadIdx.x;
  if (i < t.size && overflowed(gradients[t.offset + i])) atomicExch(&decision->overflow, 1);
}

__global__ void decide_kernel(Decision* decision, Scaler* scaler, Adam adam) {
  decide(*decision, *scaler, adam);
}

struct Parameter {
  float w, m, v;

  __device__ void step(half gradient, const Decision& d, const Adam& adam) {
    const float g = __half2float(gradient) * d.unscale;
    m = adam.beta1 * m + (1 - adam.beta1) * g;
    v = adam.beta2 * v + (1 - adam.beta2) * g * g;
    w -= d.rate * m / (sqrtf(v * d.v_factor) + adam.epsilon);
  }
};

__device__ void update_one(const Tensor& t, const half* gradients, std::uint32_t i, const Decision& d,
                           const Adam& adam) {
  Parameter p{t.weight[i], t.m[i], t.v[i]};
  p.step(gradients[i], d, adam);
  t.weight[i] = p.w, t.m[i] = p.m, t.v[i] = p.v;
  t.half_weight[i] = __float2half_rn(p.w);
}

__global__ void update(const half* gradients, Tensor t, const Decision* decision, Adam adam) {
  const Decision d = *decision;
  const std::size_t i = blockIdx.x * std::size_t(kThreads) + threadIdx.x;
  if (d.update && i < t.size) update_one(t, gradients + t.offset, std::uint32_t(i), d, adam);
}

unsigned blocks_for(const Tensor& t) { return unsigned((t.size + kThreads - 1) / kThreads); }

}  // namespace

struct Optimizer {
  std::vector<Tensor> tensors;
  Decision* decision;
};

Optimizer* adam_prepare(const Tensor* tensors, int count, cudaStream_t stream) {
  const Decision none{};
  return new Optimizer{{tensors, tensors + count}, uploaded(&none, 1, stream)};
}

void adam_step(Optimizer* optimizer, const half* gradients, Scaler* scaler, const Adam& adam,
               cudaStream_t stream) {
  for (const Tensor& t : optimizer->tensors)
    if (t.size != 0) look<<<blocks_for(t), kThreads, 0, stream>>>(gradients, t, optimizer->decision);
  decide_kernel<<<1, 1, 0, stream>>>(optimizer->decision, scaler, adam);
  for (const Tensor& t : optimizer->tensors)
    if (t.size != 0) update<<<blocks_for(t), kThreads, 0, stream>>>(gradients, t, optimizer->decision, adam);
}

void adam_release(Optimizer* optimizer) {
  cudaFree(optimizer->decision);
  delete optimizer;
}
