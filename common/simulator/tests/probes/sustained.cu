// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Full load for a while: does the clock hold under power? The rate of the first 20 ms and of the last tenth
// of the time. Takes the seconds a load as its argument (2).
// needs: compute_80
#include "probe.h"

using namespace probe;

__device__ float scattered(unsigned i) { return 0.5f + float((i * 2654435761U) >> 8) * 0x1p-24f; }

__global__ void fused(float* out, int rounds) {
  float x[8];
  for (int c = 0; c < 8; ++c) x[c] = scattered(threadIdx.x + c * 97);
  const float a = 0.999f, b = scattered(threadIdx.x) * 1e-3f;
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (float& v : x) v = v * a + b;
  float sum = 0;
  for (const float v : x) sum += v;
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void tensor(float* out, int rounds) {
  unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = (threadIdx.x * 2654435761U * (i + 1) & 0x03ff03ffU) | 0x38003800U;
  for (int i = 0; i < 2; ++i) b[i] = (threadIdx.x * 40503U * (i + 7) & 0x83ff83ffU) | 0x38003800U;
  float sums[8][4] = {};
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (auto& s : sums)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
          "{%0,%1,%2,%3};"
          : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  float sum = 0;
  for (auto& s : sums) sum += s[0] + s[1] + s[2] + s[3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void copy(float4* to, const float4* from) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

/// Launches that take about 2 ms each, until the time is over; work of one launch in units of `scale`.
template <typename Launch>
void load(const char* what, Launch launch, double work, const char* unit, double duration) {
  cudaEvent_t begin, end;
  OK(cudaEventCreate(&begin));
  OK(cudaEventCreate(&end));
  std::vector<double> rates;
  const auto start = std::chrono::steady_clock::now();
  for (double passed = 0; passed < duration;) {
    constexpr int kEach = 5;
    OK(cudaEventRecord(begin));
    for (int i = 0; i < kEach; ++i) launch();
    OK(cudaEventRecord(end));
    OK(cudaEventSynchronize(end));
    float milliseconds = 0;
    OK(cudaEventElapsedTime(&milliseconds, begin, end));
    rates.push_back(kEach * work / (milliseconds * 1e-3));
    passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  report("sustained" + key("what", what) + key("when", "first"), rates.size() > 1 ? rates[1] : rates[0],
         unit);
  const size_t tenth = std::max<size_t>(1, rates.size() / 10);
  report("sustained" + key("what", what) + key("when", "last"), median({rates.end() - tenth, rates.end()}),
         unit);
  OK(cudaEventDestroy(begin));
  OK(cudaEventDestroy(end));
}

int main(int argc, char** argv) {
  const double duration = argc > 1 ? std::atof(argv[1]) : 2;
  const int sms = device().multiProcessorCount, rounds = samples() > 1 ? 1 << 14 : 1 << 10;
  const Array<float> out(size_t(sms) * 2048);
  load(
      "fma", [&] { fused<<<sms * 2, 1024>>>(out, rounds); }, sms * 2048.0 * rounds * 8 * 2 * 1e-12, "TFLOP/s",
      duration);
  load(
      "mma-sync", [&] { tensor<<<sms * 2, 512>>>(out, rounds / 8); },
      sms * 32.0 * (rounds / 8) * 8 * 4096 * 1e-12, "TFLOP/s", duration);
  const Array<float4> to(size_t{1} << 26), from(size_t{1} << 26);
  load(
      "copy", [&] { copy<<<unsigned(to.count() / 512), 512>>>(to, from); }, 32.0 * to.count() * 1e-9, "GB/s",
      duration);
}
