// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What becomes of gradients in halves? A million of them, with sizes whose logarithms are a bell curve, are
// multiplied by scales from 1 to 2^32 and rounded: how many become zero, lose bits, or become infinite?
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr unsigned kGradients = 1 << 20;
constexpr float kMiddle = -22, kWidth = 4;  // of the bell, in powers of two
constexpr int kScales = 33;

struct Counts {
  unsigned zero, few_bits, infinite;
};

// 24 random bits of number i, from 0 (excluded) to 1.
__device__ float uniform(unsigned i) {
  i = (i ^ i >> 16) * 0x7feb352dU;
  i = (i ^ i >> 15) * 0x846ca68bU;
  return (float((i ^ i >> 16) >> 8) + 0.5F) / 16777216.0F;
}

// A block has one scale.
__global__ void count(Counts* counts) {
  const float scale = exp2f(float(blockIdx.x));
  unsigned zero = 0, few_bits = 0, infinite = 0;
  for (unsigned i = threadIdx.x; i < kGradients; i += blockDim.x) {
    // Two uniform numbers make a normal one (Box and Muller).
    const float normal = sqrtf(-2 * logf(uniform(2 * i))) * cospif(2 * uniform(2 * i + 1));
    const float gradient = exp2f(kMiddle + kWidth * normal);
    const unsigned bits = __half_as_ushort(__float2half_rn(gradient * scale));
    zero += bits == 0;
    few_bits += bits > 0 && bits < 0x0400;  // below 2^-14
    infinite += bits == 0x7c00;
  }
  atomicAdd(&counts[blockIdx.x].zero, zero);
  atomicAdd(&counts[blockIdx.x].few_bits, few_bits);
  atomicAdd(&counts[blockIdx.x].infinite, infinite);
}

}  // namespace

int main() {
  Counts *counts = nullptr, host[kScales];
  cudaMalloc(&counts, sizeof host);
  cudaMemset(counts, 0, sizeof host);
  count<<<kScales, 256>>>(counts);
  cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("percent of %u gradients\n%8s %10s %12s %10s\n", kGradients, "scale", "zero", "few bits",
              "infinite");
  for (int s = 0; s < kScales; s += 2) {
    const auto percent = [](unsigned of) { return 100.0 * of / kGradients; };
    std::printf("    2^%-2d %10.4f %12.4f %10.4f\n", s, percent(host[s].zero), percent(host[s].few_bits),
                percent(host[s].infinite));
  }
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("CUDA says: %s\n", cudaGetErrorString(error));
  cudaFree(counts);
  return error != cudaSuccess;
}
