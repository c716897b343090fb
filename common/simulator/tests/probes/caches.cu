// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Caches and shared memory: rates and latencies by footprint, and what one access of a warp costs by its
// pattern.
#include <numeric>
#include <random>

#include "probe.h"

using namespace probe;

/// Every block reads the same `count` doubles again and again: they stay in L1 where they fit.
__global__ void read_same(const double* data, int count, int rounds, double* out) {
  double sum = 0;
  for (int round = 0; round < rounds; ++round)
#pragma unroll 8
    for (int i = threadIdx.x; i < count; i += 1024) sum += data[i];
  if (sum == 1.5) *out = sum;
}

/// All blocks together read `count` float4 again and again, past L1.
__global__ void read_shared_out(const float4* data, size_t count, int rounds, float* out) {
  float sum = 0;
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (int round = 0; round < rounds; ++round)
#pragma unroll 4
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
      const float4 x = __ldcg(data + i);
      sum += x.x + x.y + x.z + x.w;
    }
  if (sum == 1.5f) *out = sum;
}

__global__ void write_shared_out(float4* data, size_t count, int rounds) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (int round = 0; round < rounds; ++round)
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step)
      data[i] = make_float4(float(round), 0, 0, 0);
}

/// One thread follows pointers.
__global__ void chase(void** start, long long steps, void*** last) {
  void** at = start;
#pragma unroll 8
  for (long long i = 0; i < steps; ++i) at = static_cast<void**>(*at);
  *last = at;
}

/// Cycles a step of a random cycle through lines of 128 bytes: of the second lap and more, which find caches
/// and TLBs warm.
void latency(size_t bytes) {
  constexpr size_t kWords = 16;
  const size_t lines = bytes / 128;
  std::vector<size_t> order(lines);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(7);
  std::shuffle(order.begin(), order.end(), random);
  const Array<void*> memory(lines * kWords);
  std::vector<void*> words(lines * kWords);
  for (size_t i = 0; i < lines; ++i)
    words[order[i] * kWords] = static_cast<void**>(memory) + order[(i + 1) % lines] * kWords;
  OK(cudaMemcpy(memory, words.data(), words.size() * sizeof(void*), cudaMemcpyHostToDevice));
  const Array<void**> last(1);
  const long long lap = lines;
  const long long more = std::max<long long>(lap, 20000);
  const double once = seconds([&] { chase<<<1, 1>>>(memory, lap, last); });
  const double twice = seconds([&] { chase<<<1, 1>>>(memory, lap + more, last); });
  report("latency" + key("KiB", double(bytes) / 1024), (twice - once) / double(more) * clock_hz(), "cycles");
}

/// What a warp reads at once: lane i takes element lanes[i] of a row, and the same of 63 more rows 32
/// elements apart, so that no two loads are of the same address and all of them stay in L1.
template <typename T>
__global__ void pattern(const T* data, const int* lanes, int rounds, T* out) {
  T sum{};
  for (int round = 0; round < rounds; ++round) {
    const T* mine = data + lanes[threadIdx.x % 32] + round % 4 * 512;
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const T x = __ldca(mine + k * 32);
      if constexpr (sizeof(T) == 16)
        sum.x += (x.x + x.y) + (x.z + x.w);
      else
        sum += x;  // all of it, or less is loaded
    }
  }
  if constexpr (sizeof(T) == 16) {
    if (sum.x == 1.5f) out[0] = sum;
  } else {
    if (sum == T(1.5)) out[0] = sum;
  }
}

template <typename T>
void l1_pattern(const std::string& name, const std::vector<int>& lanes) {
  const Array<T> data(size_t{16384} / sizeof(T) * 4), out(1);
  const Array<int> at(lanes);
  const int sms = device().multiProcessorCount;
  const double round =
      cycles_a_round([&](int rounds) { pattern<T><<<sms, 1024>>>(data, at, rounds, out); }, 16);
  report("L1-access" + key("width", sizeof(T)) + name, round / (16 * 32), "cycles");
}

template <typename T>
__global__ void banks(const int* lanes, int rounds, T* out) {
  extern __shared__ __align__(16) char memory[];
  T* data = reinterpret_cast<T*>(memory);
  for (int i = threadIdx.x; i < 32768 / int(sizeof(T)); i += blockDim.x) data[i] = T{};
  const T* mine = data + lanes[threadIdx.x % 32];
  T sum{};
  __syncthreads();
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const T x = *const_cast<const volatile T*>(mine + k % 2);
      sum += x;
    }
  if (sum == T(1.5)) out[0] = sum;
}

template <typename T>
void shared_pattern(const std::string& name, const std::vector<int>& lanes) {
  const Array<T> out(1);
  const Array<int> at(lanes);
  const int sms = device().multiProcessorCount;
  const double round =
      cycles_a_round([&](int rounds) { banks<T><<<sms, 1024, 32768>>>(at, rounds, out); }, 16);
  report("shared-access" + key("width", sizeof(T)) + name, round / (16 * 32), "cycles");
}

std::vector<int> lanes_of(auto at) {
  std::vector<int> all(32);
  for (int i = 0; i < 32; ++i) all[i] = at(i);
  return all;
}

int main() {
  const auto properties = device();
  const int sms = properties.multiProcessorCount;
  {
    const Array<double> out(1), data(size_t{4} << 20);
    for (const int kib : {8, 16, 32, 64, 96, 128, 160, 192, 208, 224, 256, 320, 512, 1024, 2048}) {
      const int count = kib * 128, rounds = std::max(1, 4096 / kib);
      const double time = seconds([&] { read_same<<<sms, 1024>>>(data, count, rounds, out); });
      report("L1-read" + key("KiB", kib), double(count) * 8 * rounds * sms / time * 1e-9, "GB/s");
    }
  }
  {
    const Array<float4> data((size_t{256} << 20) / 16);
    const Array<float> out(1);
    for (const int mib : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128, 256}) {
      const size_t count = (size_t(mib) << 20) / 16;
      const int rounds = std::max(2, 128 / mib);
      const double time = seconds([&] { read_shared_out<<<2 * sms, 1024>>>(data, count, rounds, out); });
      report("L2-read" + key("MiB", mib), double(count) * 16 * rounds / time * 1e-9, "GB/s");
      const double stored = seconds([&] { write_shared_out<<<2 * sms, 1024>>>(data, count, rounds); });
      report("L2-write" + key("MiB", mib), double(count) * 16 * rounds / stored * 1e-9, "GB/s");
    }
  }
  for (const size_t kib :
       {4, 16, 64, 128, 192, 224, 256, 512, 1024, 4096, 8192, 16384, 24576, 32768, 49152, 65536})
    latency(kib << 10);
  for (const int stride : {0, 1, 2, 3, 4, 8, 16, 32, 33}) {
    const auto lanes = lanes_of([&](int i) { return i * stride; });
    l1_pattern<float>(key("stride", stride), lanes);
    l1_pattern<double>(key("stride", stride), lanes);
    l1_pattern<float4>(key("stride", stride), lanes);
    shared_pattern<float>(key("stride", stride), lanes);
    shared_pattern<double>(key("stride", stride), lanes);
  }
  // A thread's words next to each other, rows apart: what a wide load saves.
  l1_pattern<float4>(key("lanes", "columns-of-4"), lanes_of([](int i) { return i % 8 * 4 + i / 8; }));
  // Blocks of lanes next to each other, the blocks a line and a bit apart.
  for (const int block : {1, 2, 4, 8, 16}) {
    const auto lanes = lanes_of([&](int i) { return i / block * 36 + i % block; });
    l1_pattern<float>(key("block", block), lanes);
    l1_pattern<double>(key("block", block), lanes);
  }
  for (const int offset : {1, 2, 4, 8, 16, 24, 31})
    l1_pattern<float>(key("offset", offset), lanes_of([&](int i) { return i + offset; }));
  std::mt19937 random(3);
  for (const int lines : {2, 4, 8, 16, 32}) {
    l1_pattern<float>(key("random-lines", lines),
                      lanes_of([&](int) { return int(random() % lines) * 32 + int(random() % 32); }));
    shared_pattern<float>(key("random-rows", lines),
                          lanes_of([&](int) { return int(random() % lines) * 32 + int(random() % 32); }));
  }
}
