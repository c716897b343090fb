// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two launches a step, however many tensors there are. The first looks at all gradients; the block that draws
// its last ticket decides what the second does, and changes the scaler. The second updates, 4 parameters a
// thread at a time, from the last chunk to the first: the gradients that were looked at last are still in L2.

#include "adam_step.h"
#include "chunks.h"

namespace {

constexpr int kThreads = 256;

struct Decision {
  std::uint32_t overflow, tickets;  // 0 between steps
  bool update;                      // what the second kernel needs to know:
  float unscale, rate, v_factor;    // 1 / scale, rate / (1 - beta1^t), 1 / (1 - beta2^t)
};

// Elements before the first at a multiple of kTogether of them.
template <int kTogether>
__device__ std::uint32_t before_aligned(const half* p) {
  return (kTogether - reinterpret_cast<std::uintptr_t>(p) / sizeof(half) % kTogether) % kTogether;
}

// The exponent of infinity and of a NaN is all ones.
__device__ bool overflowed(half g) { return (__half_as_ushort(g) & 0x7c00) == 0x7c00; }
__device__ bool overflowed(std::uint32_t two) {
  return (two & 0x7c00U) == 0x7c00U || (two & 0x7c000000U) == 0x7c000000U;
}

__device__ bool overflow_in(const half* g, std::uint32_t size) {
  const std::uint32_t lead = min(size, before_aligned<8>(g)), groups = (size - lead) / 8,
                      behind = lead + 8 * groups, t = threadIdx.x;
  bool found = t < lead && overflowed(g[t]);
  if (t < size - behind) found |= overflowed(g[behind + t]);
  const auto* eight = reinterpret_cast<const uint4*>(g + lead);
  for (std::uint32_t i = t; i < groups; i += kThreads) {
    const uint4 word = eight[i];
    found |= overflowed(word.x) | overflowed(word.y) | overflowed(word.z) | overflowed(word.w);
  }
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

__global__ void __launch_bounds__(kThreads)
    look(const half* gradients, const Tensor* tensors, const Chunk* chunks, unsigned count,
         Decision* decision, Scaler* scaler, Adam adam) {
  bool found = false;
  for (unsigned c = blockIdx.x; c < count; c += gridDim.x) {
    const Chunk chunk = chunks[c];
    found |= overflow_in(gradients + tensors[chunk.tensor].offset + chunk.first, chunk.last - chunk.first);
  }
  found = __syncthreads_or(found);
  if (threadIdx.x != 0) return;
  if (found) atomicExch(&decision->overflow, 1);
  __threadfence();  // whoever sees the ticket sees the overflow
  if (atomicInc(&decision->tickets, gridDim.x - 1) != gridDim.x - 1) return;
  __threadfence();  // what others did before their tickets
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

__device__ void update_four(const Tensor& t, const half* gradients, std::uint32_t i, const Decision& d,
                            const Adam& adam) {
  union {
    uint2 all;
    half one[4];
  } g, h;
  union {
    float4 all;
    float one[4];
  } w, m, v;
  g.all = *reinterpret_cast<const uint2*>(gradients + i);
  w.all = *reinterpret_cast<const float4*>(t.weight + i);
  m.all = *reinterpret_cast<const float4*>(t.m + i);
  v.all = *reinterpret_cast<const float4*>(t.v + i);
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    Parameter p{w.one[k], m.one[k], v.one[k]};
    p.step(g.one[k], d, adam);
    w.one[k] = p.w, m.one[k] = p.m, v.one[k] = p.v;
    h.one[k] = __float2half_rn(p.w);
  }
  *reinterpret_cast<float4*>(t.weight + i) = w.all;
  *reinterpret_cast<float4*>(t.m + i) = m.all;
  *reinterpret_cast<float4*>(t.v + i) = v.all;
  *reinterpret_cast<uint2*>(t.half_weight + i) = h.all;
}

__global__ void __launch_bounds__(kThreads) update(const half* gradients, const Tensor* tensors,
                                                   const Chunk* chunks, const Decision* decision, Adam adam) {
  const Decision d = *decision;
  if (!d.update) return;
  const Chunk chunk = chunks[gridDim.x - 1 - blockIdx.x];
  const Tensor t = tensors[chunk.tensor];
  const half* g = gradients + t.offset;
  const std::uint32_t aligned = min(chunk.last, chunk.first + before_aligned<4>(g + chunk.first)),
                      behind = aligned + (chunk.last - aligned) / 4 * 4;
  if (chunk.first + threadIdx.x < aligned) update_one(t, g, chunk.first + threadIdx.x, d, adam);
  if (behind + threadIdx.x < chunk.last) update_one(t, g, behind + threadIdx.x, d, adam);
  for (std::uint32_t i = aligned + 4 * threadIdx.x; i < behind; i += 4 * kThreads)
    update_four(t, g, i, d, adam);
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
  look<<<blocks, kThreads, 0, stream>>>(gradients, o.tensors, o.chunks, o.count, o.decision, scaler, adam);
  if (o.count != 0)
    update<<<o.count, kThreads, 0, stream>>>(gradients, o.tensors, o.chunks, o.decision, adam);
}

void adam_release(Optimizer* optimizer) {
  cudaFree(optimizer->tensors);
  cudaFree(optimizer->chunks);
  cudaFree(optimizer->decision);
  delete optimizer;
}
