// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Kernels that work in tiles, where phases between barriers, latency and pipes meet: matrix products in float
// and on the Tensor Core, a transpose, a 2-D filter, a sum. Each result is compared with the first way to
// compute it.
// needs: compute_80
#include "../programs/wmma_tiles.h"
#include "probe.h"

using namespace probe;

// ---- C = A B in float, n x n ----

__global__ void product_naive(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

/// Lanes of a warp go down a column: nothing is coalesced.
__global__ void product_columns(const float* a, const float* b, float* c, int n) {
  const int column = blockIdx.y * blockDim.y + threadIdx.y, row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

template <int kTile>
__global__ void product_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float ta[kTile][kTile], tb[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    ta[y][x] = a[row * n + k + x];
    tb[y][x] = b[(k + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += ta[y][i] * tb[i][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

/// A block makes kM x kN, a thread kRows x kColumns of it; A lies transposed in shared memory, rows padded by
/// kPad.
template <int kM, int kN, int kK, int kRows, int kColumns, int kPad, bool kWide>
__global__ void __launch_bounds__(kM / kRows * (kN / kColumns))
    product_registers(const float* a, const float* b, float* c, int n) {
  constexpr int kThreads = kM / kRows * (kN / kColumns), kAcross = kN / kColumns;
  __shared__ __align__(16) float ta[kK][kM + kPad], tb[kK][kN + kPad];
  const int row = threadIdx.x / kAcross * kRows, column = threadIdx.x % kAcross * kColumns;
  float sum[kRows][kColumns] = {};
  const float* from_a = a + size_t(blockIdx.y) * kM * n;
  const float* from_b = b + blockIdx.x * kN;
  for (int k = 0; k < n; k += kK) {
    if constexpr (kWide) {
#pragma unroll
      for (int i = threadIdx.x * 4; i < kM * kK; i += kThreads * 4) {
        const float4 x = *reinterpret_cast<const float4*>(from_a + size_t(i / kK) * n + k + i % kK);
        ta[i % kK][i / kK] = x.x, ta[i % kK + 1][i / kK] = x.y, ta[i % kK + 2][i / kK] = x.z,
                       ta[i % kK + 3][i / kK] = x.w;
      }
#pragma unroll
      for (int i = threadIdx.x * 4; i < kN * kK; i += kThreads * 4)
        *reinterpret_cast<float4*>(&tb[i / kN][i % kN]) =
            *reinterpret_cast<const float4*>(from_b + size_t(k + i / kN) * n + i % kN);
    } else {
#pragma unroll
      for (int i = threadIdx.x; i < kM * kK; i += kThreads)
        ta[i % kK][i / kK] = from_a[size_t(i / kK) * n + k + i % kK];
#pragma unroll
      for (int i = threadIdx.x; i < kN * kK; i += kThreads)
        tb[i / kN][i % kN] = from_b[size_t(k + i / kN) * n + i % kN];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kK; ++i) {
      float left[kRows], right[kColumns];
#pragma unroll
      for (int r = 0; r < kRows; ++r) left[r] = ta[i][row + r];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) right[j] = tb[i][column + j];
#pragma unroll
      for (int r = 0; r < kRows; ++r)
#pragma unroll
        for (int j = 0; j < kColumns; ++j) sum[r][j] += left[r] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < kRows; ++r)
#pragma unroll
    for (int j = 0; j < kColumns; ++j)
      c[(size_t(blockIdx.y) * kM + row + r) * n + blockIdx.x * kN + column + j] = sum[r][j];
}

/// C = A B of small whole numbers, so that every way to compute it gives the same bits.
template <typename T>
struct Problem {
  const char* kind;
  int n;
  Array<T> a, b;
  Array<float> c;
  std::vector<float> expected;

  Problem(const char* name, int size)
      : kind(name), n(size), a(numbers(size, 7)), b(numbers(size, 11)), c(size_t(size) * size) {}
  static std::vector<T> numbers(int n, int period) {
    std::vector<T> all(size_t(n) * n);
    for (size_t i = 0; i < all.size(); ++i) all[i] = T(float(int(i % period) - period / 2));
    return all;
  }
  template <typename Launch>
  void run(const std::string& name, Launch launch) {
    OK(cudaMemset(c, 0xff, c.count() * sizeof(float)));
    const double time = seconds(launch);
    const std::vector<float> now = c.values();
    if (expected.empty()) expected = now;
    EXPECT(now == expected);
    report(kind + key("n", n) + name, 2.0 * n * n * n / time * 1e-12, "TFLOP/s");
  }
};

struct Products : Problem<float> {
  explicit Products(int size) : Problem("product", size) {}
  template <int kM, int kN, int kK, int kRows, int kColumns, int kPad, bool kWide>
  void registers() {
    char tile[64];
    std::snprintf(tile, sizeof tile, "%dx%dx%d/%dx%d", kM, kN, kK, kRows, kColumns);
    run(key("tile", tile) + key("pad", kPad) + key("wide", kWide), [&] {
      product_registers<kM, kN, kK, kRows, kColumns, kPad, kWide>
          <<<dim3(n / kN, n / kM), kM / kRows*(kN / kColumns)>>>(a, b, c, n);
    });
  }
};

// ---- on the Tensor Core ----

struct TensorProducts : Problem<half> {
  explicit TensorProducts(int size) : Problem("tensor", size) {}
  template <typename S>
  static std::string named(const char* warp) {
    char tile[64];
    std::snprintf(tile, sizeof tile, "%dx%dx%d/%s", S::kRows, S::kColumns, S::kDepth, warp);
    return key("tile", tile) + key("pad", S::kRowA - S::kDepth);
  }
  template <typename S, typename Piece>
  void between_barriers(const char* warp) {
    if constexpr (sizeof(typename S::Tiles) <= 48 * 1024)
      run(named<S>(warp) + key("stages", 0) + key("width", sizeof(Piece)),
          [&] { tiled<S, Piece><<<dim3(n / S::kColumns, n / S::kRows), S::kThreads>>>(a, b, c, n); });
  }
  template <typename S, int kStages>
  void asynchronous(const char* warp) {
    run(named<S>(warp) + key("stages", kStages), [&] { launch_staged<S, kStages>(a, b, c, n); });
  }
  template <typename S>
  void all_of(const char* warp) {
    between_barriers<S, half>(warp);
    between_barriers<S, uint4>(warp);
    asynchronous<S, 2>(warp);
    asynchronous<S, 3>(warp);
    asynchronous<S, 4>(warp);
  }
};

// ---- transpose ----

template <int kPad, bool kShared, bool kReadColumns>
__global__ void transpose(float* to, const float* from, int n) {
  __shared__ float tile[32][32 + kPad];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if constexpr (!kShared) {
    for (int i = 0; i < 32; i += 8) {
      if constexpr (kReadColumns)
        to[size_t(y + i) * n + x] = from[size_t(x) * n + y + i];
      else
        to[size_t(x) * n + y + i] = from[size_t(y + i) * n + x];
    }
  } else {
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = from[size_t(y + i) * n + x];
    __syncthreads();
    const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) to[size_t(ty + i) * n + tx] = tile[threadIdx.x][threadIdx.y + i];
  }
}

void transposes() {
  const int n = 4096;
  const Array<float> to(size_t(n) * n), from(size_t(n) * n);
  const dim3 grid(n / 32, n / 32), block(32, 8);
  const auto run = [&](const char* how, auto launch) {
    report("transpose" + key("how", how), 8.0 * n * n / seconds(launch) * 1e-9, "GB/s");
  };
  run("writes-columns", [&] { transpose<0, false, false><<<grid, block>>>(to, from, n); });
  run("reads-columns", [&] { transpose<0, false, true><<<grid, block>>>(to, from, n); });
  run("shared", [&] { transpose<0, true, false><<<grid, block>>>(to, from, n); });
  run("shared-padded", [&] { transpose<1, true, false><<<grid, block>>>(to, from, n); });
}

// ---- 2-D filter ----

constexpr int kMostFilter = 17;
__constant__ float weights[kMostFilter * kMostFilter];

/// A thread makes kAcross x kDown outputs, 32 (x) and 8 (y) apart, of a (2 r + 1)-wide filter; the image has
/// a margin.
template <int kSize, int kAcross, int kDown, bool kShared>
__global__ void __launch_bounds__(256) filter(float* to, const float* from, int n, int pitch) {
  constexpr int kX = 32 * kAcross, kY = 8 * kDown;
  const int x0 = blockIdx.x * kX, y0 = blockIdx.y * kY;
  float sum[kDown][kAcross] = {};
  if constexpr (kShared) {
    __shared__ float tile[kY + kSize - 1][kX + kSize - 1];
    for (int y = threadIdx.y; y < kY + kSize - 1; y += 8)
      for (int x = threadIdx.x; x < kX + kSize - 1; x += 32)
        tile[y][x] = from[size_t(y0 + y) * pitch + x0 + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kSize; ++i)
#pragma unroll
      for (int j = 0; j < kSize; ++j)
#pragma unroll
        for (int d = 0; d < kDown; ++d)
#pragma unroll
          for (int a = 0; a < kAcross; ++a)
            sum[d][a] += tile[threadIdx.y + 8 * d + i][threadIdx.x + 32 * a + j] * weights[i * kSize + j];
  } else {
#pragma unroll
    for (int i = 0; i < kSize; ++i)
#pragma unroll
      for (int j = 0; j < kSize; ++j)
#pragma unroll
        for (int d = 0; d < kDown; ++d)
#pragma unroll
          for (int a = 0; a < kAcross; ++a)
            sum[d][a] += from[size_t(y0 + threadIdx.y + 8 * d + i) * pitch + x0 + threadIdx.x + 32 * a + j] *
                         weights[i * kSize + j];
  }
  for (int d = 0; d < kDown; ++d)
    for (int a = 0; a < kAcross; ++a)
      to[size_t(y0 + threadIdx.y + 8 * d) * n + x0 + threadIdx.x + 32 * a] = sum[d][a];
}

template <int kSize, int kAcross, int kDown, bool kShared>
void filtered(const Array<float>& to, const Array<float>& from, int n, int pitch) {
  const double time = seconds([&] {
    filter<kSize, kAcross, kDown, kShared>
        <<<dim3(n / (32 * kAcross), n / (8 * kDown)), dim3(32, 8)>>>(to, from, n, pitch);
  });
  report("filter" + key("size", kSize) + key("across", kAcross) + key("down", kDown) + key("shared", kShared),
         2.0 * kSize * kSize * n * n / time * 1e-12, "TFLOP/s");
}

template <int kSize>
void filters(const Array<float>& to, const Array<float>& from, int n, int pitch) {
  filtered<kSize, 1, 1, false>(to, from, n, pitch);
  filtered<kSize, 1, 1, true>(to, from, n, pitch);
  filtered<kSize, 1, 4, false>(to, from, n, pitch);
  filtered<kSize, 1, 4, true>(to, from, n, pitch);
  filtered<kSize, 2, 2, false>(to, from, n, pitch);
  filtered<kSize, 2, 2, true>(to, from, n, pitch);
  filtered<kSize, 4, 4, false>(to, from, n, pitch);
  filtered<kSize, 4, 4, true>(to, from, n, pitch);
}

// ---- a sum ----

/// kHow: 0 a tree in shared memory with modulo, 1 with strides, 2 warp shuffles; one element a thread.
template <int kHow>
__global__ void sum(const float* from, float* out) {
  __shared__ float partial[256];
  const int t = threadIdx.x;
  float mine = from[size_t(blockIdx.x) * 256 + t];
  if constexpr (kHow < 2) {
    partial[t] = mine;
    __syncthreads();
    if constexpr (kHow == 0)
      for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) partial[t] += partial[t + s];
        __syncthreads();
      }
    else
      for (int s = 128; s > 0; s /= 2) {
        if (t < s) partial[t] += partial[t + s];
        __syncthreads();
      }
    if (t == 0) atomicAdd(out, partial[0]);
  } else {
    for (int s = 16; s > 0; s /= 2) mine += __shfl_down_sync(0xffffffff, mine, s);
    if (t % 32 == 0) partial[t / 32] = mine;
    __syncthreads();
    if (t == 0) {
      for (int w = 1; w < 8; ++w) mine += partial[w];
      atomicAdd(out, mine);
    }
  }
}

void sums() {
  const size_t n = size_t{1} << 25;
  const Array<float> from(n), out(1);
  const auto run = [&](const char* how, auto launch) {
    report("sum" + key("how", how), 4.0 * n / seconds(launch) * 1e-9, "GB/s");
  };
  run("modulo", [&] { sum<0><<<unsigned(n / 256), 256>>>(from, out); });
  run("strides", [&] { sum<1><<<unsigned(n / 256), 256>>>(from, out); });
  run("shuffles", [&] { sum<2><<<unsigned(n / 256), 256>>>(from, out); });
}

void tensor_products(int n) {
  TensorProducts t(n);
  t.run(key("tile", "warp"), [&] { direct<<<dim3(n / 64, n / 64), dim3(128, 4)>>>(t.a, t.b, t.c, n); });
  t.all_of<Shape<64, 64, 16, 32, 32, 0>>("32x32");
  t.all_of<Shape<64, 64, 32, 32, 32, 0>>("32x32");
  t.all_of<Shape<64, 64, 32, 32, 32, 8>>("32x32");
  t.all_of<Shape<128, 64, 32, 32, 32, 8>>("32x32");
  t.all_of<Shape<128, 64, 32, 64, 32, 8>>("64x32");
  t.all_of<Shape<128, 128, 32, 64, 32, 0>>("64x32");
  t.all_of<Shape<128, 128, 32, 64, 32, 8>>("64x32");
  t.all_of<Shape<128, 128, 32, 32, 64, 8>>("32x64");
  t.all_of<Shape<128, 128, 64, 64, 32, 8>>("64x32");
  t.all_of<Shape<128, 256, 32, 64, 64, 8>>("64x64");
  t.all_of<Shape<256, 128, 32, 64, 64, 8>>("64x64");
}

void products(int n) {
  Products p(n);
  p.run(key("how", "naive"), [&] { product_naive<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(p.a, p.b, p.c, n); });
  if (n <= 2048)
    p.run(key("how", "columns"),
          [&] { product_columns<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(p.a, p.b, p.c, n); });
  p.run(key("how", "tiled-16"),
        [&] { product_tiled<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(p.a, p.b, p.c, n); });
  p.run(key("how", "tiled-32"),
        [&] { product_tiled<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(p.a, p.b, p.c, n); });
  p.registers<64, 64, 8, 8, 1, 0, false>();
  p.registers<64, 64, 8, 4, 4, 0, false>();
  p.registers<64, 64, 16, 4, 4, 4, true>();
  p.registers<128, 64, 8, 8, 4, 0, true>();
  p.registers<128, 128, 8, 8, 8, 0, false>();
  p.registers<128, 128, 8, 8, 8, 0, true>();
  p.registers<128, 128, 8, 8, 8, 4, true>();
  p.registers<128, 128, 16, 8, 8, 4, true>();
}

void all_filters() {
  const int size = 2048, pitch = size + 32;
  const Array<float> to(size_t(size) * size), from(size_t(size + 32) * pitch);
  filters<3>(to, from, size, pitch);
  filters<7>(to, from, size, pitch);
  filters<15>(to, from, size, pitch);
}

/// Products of 1024, 2048 and 4096, of 1024 alone where one sample is enough: a simulation takes minutes for
/// it.
int main() {
  for (const int n : samples() > 1 ? std::vector{1024, 2048, 4096} : std::vector{1024}) {
    tensor_products(n);
    products(n);
  }
  transposes();
  all_filters();
  sums();
}
