// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Right and wrong submissions in one file, so that nvcc runs once: the name of the program says which one it
// is.
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "axpb.h"

namespace {

bool is(const char* behaviour) {
  const char* dash = std::strchr(program_invocation_short_name, '-');
  return dash != nullptr && std::strcmp(dash + 1, behaviour) == 0;
}

__global__ void right(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

__global__ void prints(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
  if (i == 0) printf("here\n");
}

__global__ void unguarded(const float* x, float* y, float a, float b) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  y[i] = fmaf(a, x[i], b);  // the test looks for this line
}

__global__ void index_of_32_bits(const float* x, float* y, float a, float b, long long n) {
  const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
  if (i < n) y[i] = fmaf(a, x[i], b);
}

__global__ void hangs(float* y, std::size_t n) {
  volatile float* flag = y;
  while (n > 100 && flag[0] != 12345.0f) {
  }
}

__global__ void odd_and_even(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else if (n > 100) {
    if (a == 3) y[i] = 0;
    __syncthreads();
  }
  if (i < n) y[i] = fmaf(a, x[i], b);
}

__global__ void aligned_only(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = (blockIdx.x * std::size_t{256} + threadIdx.x) * 4;
  if (i + 4 <= n) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    *reinterpret_cast<float4*>(y + i) =
        make_float4(fmaf(a, v.x, b), fmaf(a, v.y, b), fmaf(a, v.z, b), fmaf(a, v.w, b));
  } else {
    for (std::size_t k = i; k < n; ++k) y[k] = fmaf(a, x[k], b);
  }
}

// Right by luck: nothing orders the neighbour's write before this read.
__global__ void early(const float* x, float* y, float a, float b, std::size_t n) {
  __shared__ float tile[256];
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  tile[threadIdx.x] = i < n ? fmaf(a, x[i], b) : 0;  // the test looks for this line
  const bool odd = tile[255 - threadIdx.x] == 12345.0f;
  if (i < n) y[i] = odd ? 0 : tile[threadIdx.x];
}

// Right by luck: nobody wrote what decides.
__global__ void unwritten(const float* x, float* y, float a, float b, std::size_t n) {
  __shared__ float tile[256];
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (a == 3) tile[threadIdx.x] = 0;
  __syncthreads();
  if (i < n) y[i] = tile[threadIdx.x] == 12345.0f ? 0 : fmaf(a, x[i], b);
}

void on_the_host(const float* x, float* y, float a, float b, std::size_t n) {
  std::vector<float> values(n);
  cudaMemcpy(values.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (float& v : values) v = std::fma(a, v, b);
  cudaMemcpy(y, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}

void through_pinned(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static float* shared = nullptr;
  if (shared == nullptr) cudaMallocHost(&shared, 1 << 20);
  right<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

/// "ends-late": the program is as if it had not started, after a while.
const bool kEndsLate = is("ends-late") && (usleep(300'000), std::exit(1), true);

/// "lies-BYTES-AT-VALUE-LENGTH": in records of so many bytes the word at this place says VALUE, and so many
/// bytes more or fewer are sent.
struct Lie {
  unsigned long bytes = 0, at = 0, value = 0;
  long longer = 0;
  bool is_told = false;
};
Lie lie_of_this_program() {
  Lie lie;
  const char* dash = std::strchr(program_invocation_short_name, '-');
  lie.is_told = dash != nullptr &&
                std::sscanf(dash, "-lies-%lu-%lu-%lu-%ld", &lie.bytes, &lie.at, &lie.value, &lie.longer) == 4;
  return lie;
}

}  // namespace

/// Before the C library's, by which the worker answers the judge.
extern "C" ssize_t send(int socket, const void* data, std::size_t bytes, int flags) {
  static const Lie lie = lie_of_this_program();
  static const auto real =
      reinterpret_cast<ssize_t (*)(int, const void*, std::size_t, int)>(dlsym(RTLD_NEXT, "send"));
  if (!lie.is_told || bytes != lie.bytes) return real(socket, data, bytes, flags);
  const auto* from = static_cast<const char*>(data);
  std::vector<char> record(from, from + bytes);
  const auto word = static_cast<unsigned>(lie.value);
  std::memcpy(record.data() + lie.at, &word, sizeof word);
  record.resize(bytes + static_cast<std::size_t>(lie.longer));
  return real(socket, record.data(), record.size(), flags) < 0 ? -1 : static_cast<ssize_t>(bytes);
}

void axpb(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (is("skeleton")) return;
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  if (is("empty-launch")) {
    right<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
    return;
  }
  if (n == 0) return;
  if (is("small-only") && n > 200000) return;
  if (is("unguarded"))
    unguarded<<<blocks, 256, 0, stream>>>(x, y, a, b);
  else if (is("hangs"))
    hangs<<<1, 32, 0, stream>>>(y, n);
  else if (is("prints"))
    prints<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
  else if (is("index-of-32-bits"))
    index_of_32_bits<<<blocks, 256, 0, stream>>>(x, y, a, b, static_cast<long long>(n));
  else if (is("direction"))
    cudaMemcpyAsync(y, x, n * sizeof *y, cudaMemcpyHostToDevice, stream);
  else if (is("barrier"))
    odd_and_even<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
  else if (is("early"))
    early<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
  else if (is("unwritten"))
    unwritten<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
  else if (is("aligned"))
    aligned_only<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
  else if (is("host"))
    on_the_host(x, y, a, b, n);
  else if (is("pinned"))
    through_pinned(x, y, a, b, n, stream);
  else if (is("one-thread"))
    right<<<1, 1, 0, stream>>>(x, y, a, b, 1);
  else if (is("two-kernels"))
    for (const std::size_t begin : {std::size_t{0}, n / 2})
      right<<<blocks, 256, 0, stream>>>(x + begin, y + begin, a, b, begin == 0 ? n / 2 : n - n / 2);
  else
    right<<<blocks, 256, 0, stream>>>(x, y, a, b, n);
  if (is("waits")) cudaStreamSynchronize(stream);
  while (is("prints-for-ever")) std::puts("one more line");
  if (is("checks-a-refusal")) {
    right<<<blocks, 2048, 0, stream>>>(x, y, a, b, n);
    if (cudaGetLastError() != cudaSuccess) {
      std::fprintf(stderr, "axpb.cu: an error\n");
      std::exit(1);
    }
  }
  static void* scratch = nullptr;
  if (is("leaks") || (is("keeps") && scratch == nullptr)) cudaMalloc(&scratch, 1024);
  if (is("two-kernels-frees")) right<<<1, 1, 0, stream>>>(x, y, a, b, 0);
  if (is("copies-and-frees")) {
    float first = 0;
    cudaMemcpyAsync(&first, x, sizeof first, cudaMemcpyDeviceToHost, stream);
    right<<<1, 1, 0, stream>>>(x, y, a, b, 0);
  }
  if (is("frees") || is("two-kernels-frees") || is("copies-and-frees")) {
    cudaMalloc(&scratch, 1024);
    cudaFree(scratch);
  }
  if (is("allocates-in-order")) {
    cudaMallocAsync(&scratch, 1024, stream);
    cudaFreeAsync(scratch, stream);
  }
  static cudaEvent_t event = nullptr;
  if (is("events")) cudaEventCreate(&event);
  if (is("asks-for-ever") || is("asks-after-an-error") || is("asks-after-a-hang")) {
    if (is("asks-after-an-error")) unguarded<<<blocks, 256, 0, stream>>>(x, y, a, b);
    if (is("asks-after-a-hang")) hangs<<<1, 32, 0, stream>>>(y, n);
    cudaEventCreate(&event);
    cudaEventRecord(event, stream);
    cudaEventSynchronize(event);
    while ((cudaEventQuery(event) == cudaSuccess) == is("asks-for-ever")) continue;
  }
}
