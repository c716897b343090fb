// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Streams through DRAM: by the warps that an SM holds, by the width of an access and by loads in flight a
// thread.
#include "probe.h"

using namespace probe;

/// One element a thread.
template <char kOp, typename T>
__global__ void stream(T* a, const T* b, const T* c) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if constexpr (kOp == 'i') a[i] = T{};
  if constexpr (kOp == 's') a[i] = b[i];
  if constexpr (kOp == 'r') {
    const T x = b[i];
    if (*reinterpret_cast<const int*>(&x) == 12345) a[i] = x;  // never so, which the compiler cannot know
  }
  if constexpr (kOp == 't') {
    T x = b[i];
    const T y = c[i];
    auto* to = reinterpret_cast<float*>(&x);
    const auto* add = reinterpret_cast<const float*>(&y);
    for (size_t k = 0; k < sizeof(T) / 4; ++k) to[k] += 1.5f * add[k];
    a[i] = x;
  }
}

/// Grid-stride loop with `kLoads` independent loads of 16 bytes an iteration, copied.
template <int kLoads>
__global__ void strided(float4* a, const float4* b, size_t n) {
  const size_t step = size_t(gridDim.x) * blockDim.x;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step * kLoads) {
    float4 x[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      if (i + k * step < n) x[k] = b[i + k * step];
#pragma unroll
    for (int k = 0; k < kLoads; ++k)
      if (i + k * step < n) a[i + k * step] = x[k];
  }
}

constexpr size_t kBytes = size_t{256} << 20;

template <char kOp, typename T>
void run(const std::string& what, const Array<char>& a, const Array<char>& b, const Array<char>& c,
         int threads, int shared) {
  OK(cudaFuncSetAttribute(stream<kOp, T>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const size_t count = kBytes / sizeof(T) / threads * threads;
  const double time = seconds([&] {
    stream<kOp, T><<<unsigned(count / threads), threads, shared>>>(
        reinterpret_cast<T*>(static_cast<char*>(a)), reinterpret_cast<const T*>(static_cast<char*>(b)),
        reinterpret_cast<const T*>(static_cast<char*>(c)));
  });
  const double moved = double(count) * sizeof(T) * (kOp == 't' ? 3 : kOp == 's' ? 2 : 1);
  report("stream" + what, moved / time * 1e-9, "GB/s");
}

int main() {
  const Array<char> a(kBytes), b(kBytes), c(kBytes);
  const auto properties = device();
  const int two = int(properties.sharedMemPerMultiprocessor / 2 - properties.reservedSharedMemPerBlock - 256);
  for (const int threads : {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024}) {
    const std::string many = key("blocks-an-SM", 2) + key("threads", threads);
    run<'i', double>(key("op", "init") + many, a, b, c, threads, two);
    run<'r', double>(key("op", "read") + many, a, b, c, threads, two);
    run<'s', double>(key("op", "copy") + many, a, b, c, threads, two);
    run<'t', double>(key("op", "triad") + many, a, b, c, threads, two);
  }
  const auto widths = [&]<char kOp>(const char* op) {
    run<kOp, float>(key("op", op) + key("width", 4), a, b, c, 256, 0);
    run<kOp, float2>(key("op", op) + key("width", 8), a, b, c, 256, 0);
    run<kOp, float4>(key("op", op) + key("width", 16), a, b, c, 256, 0);
  };
  widths.operator()<'i'>("init");
  widths.operator()<'r'>("read");
  widths.operator()<'s'>("copy");
  widths.operator()<'t'>("triad");
  const size_t n = kBytes / 16;
  const auto* from = reinterpret_cast<const float4*>(static_cast<char*>(b));
  auto* to = reinterpret_cast<float4*>(static_cast<char*>(a));
  for (const int blocks : {1, 2, 4, 8})
    for (const int loads : {1, 2, 4, 8}) {
      const unsigned grid = unsigned(blocks * properties.multiProcessorCount);
      const double time = seconds([&] {
        if (loads == 1) strided<1><<<grid, 256>>>(to, from, n);
        if (loads == 2) strided<2><<<grid, 256>>>(to, from, n);
        if (loads == 4) strided<4><<<grid, 256>>>(to, from, n);
        if (loads == 8) strided<8><<<grid, 256>>>(to, from, n);
      });
      report("strided-copy" + key("blocks-an-SM", blocks) + key("loads", loads), 2 * kBytes / time * 1e-9,
             "GB/s");
    }
}
