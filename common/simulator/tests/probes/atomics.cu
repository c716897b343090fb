// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Atomics: how many a second, by memory, type, how many addresses there are and how lanes fall on them.
#include "probe.h"

using namespace probe;

/// Thread t of the grid adds to address t / lanes_on_one % addresses; `stride` elements between addresses.
template <typename T, bool kReturn>
__global__ void global(T* at, unsigned addresses, unsigned lanes_on_one, unsigned stride, int rounds,
                       T* out) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  T* mine = at + size_t(t / lanes_on_one % addresses) * stride;
  T sum{};
  for (int i = 0; i < rounds; ++i) {
    const T old = atomicAdd(mine, T(1));
    if constexpr (kReturn) sum += old;
  }
  if constexpr (kReturn) out[t] = sum;
}

template <typename T>
__global__ void shared(unsigned addresses, unsigned lanes_on_one, int rounds, T* out) {
  __shared__ T at[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) at[i] = T{};
  T* mine = at + threadIdx.x / lanes_on_one % addresses;
  __syncthreads();
  for (int i = 0; i < rounds; ++i) atomicAdd(mine, T(1));
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = *mine;
}

int main() {
  const int sms = device().multiProcessorCount;
  const unsigned blocks = 8 * unsigned(sms), threads = 256;
  const Array<char> memory(size_t{64} << 20), out(size_t(blocks) * threads * 8);
  const auto run = [&]<typename T, bool kReturn>(const char* type, unsigned addresses, unsigned lanes,
                                                 unsigned stride) {
    auto* at = reinterpret_cast<T*>(static_cast<char*>(memory));
    auto* to = reinterpret_cast<T*>(static_cast<char*>(out));
    const int rounds = addresses * 32 >= lanes * 1024 ? 32 : 4;
    const double time =
        seconds([&] { global<T, kReturn><<<blocks, threads>>>(at, addresses, lanes, stride, rounds, to); });
    report("atomics" + key("where", "global") + key("type", type) + key("returns", kReturn) +
               key("addresses", addresses) + key("lanes-on-one", lanes) + key("stride", stride),
           double(blocks) * threads * rounds / time * 1e-9, "G/s");
  };
  for (const unsigned addresses : {1U, 32U, 1024U, 65536U, 1048576U})
    for (const unsigned lanes : {1U, 4U, 32U}) {
      run.operator()<int, false>("s32", addresses, lanes, 1);
      run.operator()<int, true>("s32", addresses, lanes, 1);
      run.operator()<float, false>("f32", addresses, lanes, 1);
      run.operator()<unsigned long long, false>("u64", addresses, lanes, 1);
      run.operator()<double, false>("f64", addresses, lanes, 1);
    }
  for (const unsigned stride : {8U, 32U}) {
    run.operator()<int, false>("s32", 65536, 1, stride);
    run.operator()<float, false>("f32", 65536, 1, stride);
  }
  const auto inside = [&]<typename T>(const char* type, unsigned addresses, unsigned lanes) {
    auto* to = reinterpret_cast<T*>(static_cast<char*>(out));
    const double round =
        cycles_a_round([&](int rounds) { shared<T><<<sms, 1024>>>(addresses, lanes, rounds, to); }, 16);
    report("atomics" + key("where", "shared") + key("type", type) + key("addresses", addresses) +
               key("lanes-on-one", lanes),
           round / 32, "cycles");
  };
  for (const unsigned addresses : {1U, 32U, 1024U})
    for (const unsigned lanes : {1U, 4U, 32U}) {
      inside.operator()<int>("s32", addresses, lanes);
      inside.operator()<float>("f32", addresses, lanes);
      inside.operator()<unsigned long long>("u64", addresses, lanes);
    }
}
