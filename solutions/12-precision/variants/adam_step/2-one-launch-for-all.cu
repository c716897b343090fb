// expect: good
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Three launches for all tensors: one looks at the gradients, a thread decides, one updates; a parameter a
// thread at a time.

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

__device__ bool overflow_in(const half* g, std::uint32_t size) {
  bool found = false;
  for (std::uint32_t i = threadIdx.x; i < size; i += kThreads) found |= overflowed(g[i]);
  return found;
}

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

__global__ void __launch_bounds__(kThreads) look(const half* gradients, const Tensor* tensors,
                                                 const Chunk* chunks, unsigned count, Decision* decision) {
  bool found = false;
  for (unsigned c = blockIdx.x; c < count; c += gridDim.x) {
    const Chunk chunk = chunks[c];
    found |= overflow_in(gradients + tensors[chunk.tensor].offset + chunk.first, chunk.last - chunk.first);
  }
  found = __syncthreads_or(found);
  if (threadIdx.x == 0 && found) atomicExch(&decision->overflow, 1);
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

__global__ void __launch_bounds__(kThreads) update(const half* gradients, const Tensor* tensors,
                                                   const Chunk* chunks, const Decision* decision, Adam adam) {
  const Decision d = *decision;
  if (!d.update) return;
  const Chunk chunk = chunks[blockIdx.x];
  const Tensor t = tensors[chunk.tensor];
  for (std::uint32_t i = chunk.first + threadIdx.x; i < chunk.last; i += kThreads)
    update_one(t, gradients + t.offset, i, d, adam);
}

}  // namespace

struct Optimizer {
  Tensor* tensors;
  Chunk* chunks;
  unsigned count, resident;  // chunks; blocks of `look` that run at the same time
  Decision* decision;
};

Optimizer* adam_prepare(const Tensor* tensors, int count, cudaStream_t stream) {
  const std::vector<Chunk> chunks = chunks_of(tensors, count);
  const Decision none{};
  int device = 0, sms = 0, blocks = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, look, kThreads, 0);
  return new Optimizer{uploaded(tensors, std::size_t(count), stream),
                       uploaded(chunks.data(), chunks.size(), stream), unsigned(chunks.size()),
                       unsigned(sms * blocks), uploaded(&none, 1, stream)};
}

void adam_step(Optimizer* optimizer, const half* gradients, Scaler* scaler, const Adam& adam,
               cudaStream_t stream) {
  const Optimizer& o = *optimizer;
  const unsigned blocks = std::max(1U, std::min(o.count, o.resident));
  look<<<blocks, kThreads, 0, stream>>>(gradients, o.tensors, o.chunks, o.count, o.decision);
  decide_kernel<<<1, 1, 0, stream>>>(o.decision, scaler, adam);
  if (o.count != 0)
    update<<<o.count, kThreads, 0, stream>>>(gradients, o.tensors, o.chunks, o.decision, adam);
}

void adam_release(Optimizer* optimizer) {
  cudaFree(optimizer->tensors);
  cudaFree(optimizer->chunks);
  cudaFree(optimizer->decision);
  delete optimizer;
}
