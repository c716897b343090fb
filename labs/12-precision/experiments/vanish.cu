// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of gradients in 16 bits? A million of them, with sizes whose logarithms are a bell curve, are
// multiplied by scales from 1 to 2^32 and rounded: how many become zero, lose bits, or become infinite, and
// how far off are the others? In halves, then in bf16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr unsigned kGradients = 1 << 20;
constexpr float kMiddle = -22, kWidth = 4;  // of the bell, in powers of two
constexpr int kScales = 33;

struct Counts {
  unsigned zero, few_bits, infinite;
  float off;  // of those that are neither: the sum of |rounded - exact| / exact
};

// A type's number nearest to a float, as bits and as a float; the bits of the smallest normal number and of
// infinity.
struct Half {
  static constexpr unsigned kNormal = 0x0400, kInfinite = 0x7c00;
  static __device__ unsigned bits(float x) { return __half_as_ushort(__float2half_rn(x)); }
  static __device__ float rounded(float x) { return __half2float(__float2half_rn(x)); }
};
struct Bf16 {
  static constexpr unsigned kNormal = 0x0080, kInfinite = 0x7f80;
  static __device__ unsigned bits(float x) { return __bfloat16_as_ushort(__float2bfloat16_rn(x)); }
  static __device__ float rounded(float x) { return __bfloat162float(__float2bfloat16_rn(x)); }
};

// 24 random bits of number i, from 0 (excluded) to 1.
__device__ float uniform(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352dU;
  i = (i ^ i >> 15) * 0x846ca68bU;
  return (float((i ^ i >> 16) >> 8) + 0.5F) / 16777216.0F;
}

// A block has one scale.
template <class Type>
__global__ void count(Counts* counts) {
  const float scale = exp2f(float(blockIdx.x));
  unsigned zero = 0, few_bits = 0, infinite = 0;
  float off = 0;
  for (unsigned i = threadIdx.x; i < kGradients; i += blockDim.x) {
    // Two uniform numbers make a normal one (Box and Muller).
    const float normal = sqrtf(-2 * logf(uniform(2 * i))) * cospif(2 * uniform(2 * i + 1));
    const float exact = exp2f(kMiddle + kWidth * normal) * scale;
    const unsigned bits = Type::bits(exact);
    zero += bits == 0;
    few_bits += bits > 0 && bits < Type::kNormal;
    infinite += bits == Type::kInfinite;
    if (bits >= Type::kNormal && bits < Type::kInfinite) off += fabsf(Type::rounded(exact) - exact) / exact;
  }
  atomicAdd(&counts[blockIdx.x].zero, zero);
  atomicAdd(&counts[blockIdx.x].few_bits, few_bits);
  atomicAdd(&counts[blockIdx.x].infinite, infinite);
  atomicAdd(&counts[blockIdx.x].off, off);
}

void print(const char* type, const Counts* counts) {
  std::printf("percent of %u gradients as %s\n%8s %10s %12s %10s %26s\n", kGradients, type, "scale", "zero",
              "few bits", "infinite", "the others are off by");
  for (int s = 0; s < kScales; s += 2) {
    const Counts& of = counts[s];
    const auto percent = [](unsigned some) { return 100.0 * some / kGradients; };
    const unsigned others = kGradients - of.zero - of.few_bits - of.infinite;
    std::printf("    2^%-2d %10.4f %12.4f %10.4f %24.4f %%\n", s, percent(of.zero), percent(of.few_bits),
                percent(of.infinite), others > 0 ? 100 * of.off / others : 0);
  }
}

}  // namespace

int main() {
  Counts *counts = nullptr, host[kScales];
  cudaMalloc(&counts, sizeof host);
  for (const bool halves : {true, false}) {
    cudaMemset(counts, 0, sizeof host);
    if (halves)
      count<Half><<<kScales, 256>>>(counts);
    else
      count<Bf16><<<kScales, 256>>>(counts);
    cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost);
    print(halves ? "halves" : "bf16", host);
  }
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  cudaFree(counts);
  return error != cudaSuccess;
}
