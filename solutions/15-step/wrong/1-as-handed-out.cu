// expect: too-slow step
// bench: as handed out, complete
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The file that is handed out, with its TODOs done: a kernel for each operation, launched one by one, every
// value in memory between two of them. Right, and slow.

#include <mma.h>

#include <vector>

#include "cuda/check.h"
#include "step.h"

namespace {

using namespace nvcuda;

constexpr int kBlock = 256, kWarps = 4;  // threads of an elementwise kernel; warps of a product's block
constexpr unsigned kAll = 0xffffffff;
constexpr float kScale = 0.125F;  // of scores: 1 / sqrt(kHeadSize)

unsigned blocks_for(std::size_t threads) { return static_cast<unsigned>((threads + kBlock - 1) / kBlock); }

// ---- products ----

// A matrix for each head of each sequence, or one alone: element (i, j) is at[i * distance + j].
template <class T>
struct Matrices {
  T* at;
  int distance;                              // elements from a row to the next
  std::size_t of_sequence = 0, of_head = 0;  // and from one matrix to the next
};
template <class T>
__device__ T* matrix(const Matrices<T>& all, int heads) {
  return all.at + blockIdx.z / heads * all.of_sequence + blockIdx.z % heads * all.of_head;
}

__device__ void put(float* to, float value) { *to = value; }
__device__ void put(half* to, float value) { *to = __float2half(value); }

// c = a b of m x k and k x n, all multiples of 16; a warp computes 16 x 16. A layout that is col_major reads
// its operand transposed.
template <class LayoutA, class LayoutB, class T>
__global__ void product_kernel(Matrices<const half> a, Matrices<const half> b, Matrices<T> c, int n, int k,
                               int heads) {
  __shared__ float results[kWarps][256];
  const int row = blockIdx.y * 16, column = (blockIdx.x * kWarps + threadIdx.y) * 16;
  if (column >= n) return;
  const half *const left = matrix(a, heads), *const right = matrix(b, heads);
  constexpr bool kTurnedA = std::is_same_v<LayoutA, wmma::col_major>;
  constexpr bool kTurnedB = std::is_same_v<LayoutB, wmma::col_major>;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 0.0F);
  for (int i = 0; i < k; i += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, LayoutA> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, LayoutB> y;
    wmma::load_matrix_sync(x, left + (kTurnedA ? i * a.distance + row : row * a.distance + i), a.distance);
    wmma::load_matrix_sync(y, right + (kTurnedB ? column * b.distance + i : i * b.distance + column),
                           b.distance);
    wmma::mma_sync(sums, x, y, sums);
  }
  float* const result = results[threadIdx.y];
  wmma::store_matrix_sync(result, sums, 16, wmma::mem_row_major);
  __syncwarp();
  T* const to = matrix(c, heads) + row * c.distance + column;
  for (int i = threadIdx.x; i < 256; i += 32) put(to + i / 16 * c.distance + i % 16, result[i]);
}

enum class Turned { kNone, kA, kB };

// c = a b, a^T b or a b^T: of `matrices`, `heads` for each sequence.
template <class T>
void product(Turned turned, Matrices<const half> a, Matrices<const half> b, Matrices<T> c, int m, int n,
             int k, cudaStream_t stream, int matrices = 1, int heads = 1) {
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  const dim3 grid((n / 16 + kWarps - 1) / kWarps, m / 16, matrices), block(32, kWarps);
  const auto kernel = turned == Turned::kNone ? product_kernel<Row, Row, T>
                      : turned == Turned::kA  ? product_kernel<Column, Row, T>
                                              : product_kernel<Row, Column, T>;
  kernel<<<grid, block, 0, stream>>>(a, b, c, n, k, heads);
  CUDA_CHECK(cudaGetLastError());
}

// ---- rows: a warp for each ----

__device__ float over_warp(float v) {
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  return v;
}
__device__ float largest_of_warp(float v) {
  for (int distance = 16; distance > 0; distance /= 2) v = fmaxf(v, __shfl_xor_sync(kAll, v, distance));
  return v;
}
__device__ int row_of_warp() { return (blockIdx.x * kBlock + threadIdx.x) / 32; }

// Of each row: its mean, and 1 / sqrt(variance + epsilon).
struct Moments {
  float *mean, *scale;
};

__global__ void norm(const half* x, const float* gamma, half* a, Moments of, int rows, int width) {
  const int row = row_of_warp(), lane = threadIdx.x % 32;
  if (row >= rows) return;
  x += row * width, a += row * width;
  float sum = 0, squares = 0;
  for (int i = lane; i < width; i += 32) sum += __half2float(x[i]);
  const float mean = over_warp(sum) / width;
  for (int i = lane; i < width; i += 32) {
    const float distance = __half2float(x[i]) - mean;
    squares += distance * distance;
  }
  const float scale = rsqrtf(over_warp(squares) / width + kNormEpsilon);
  for (int i = lane; i < width; i += 32) a[i] = __float2half((__half2float(x[i]) - mean) * scale * gamma[i]);
  if (lane == 0) of.mean[row] = mean, of.scale[row] = scale;
}

// dx from da. With n = (x - mean) * scale and dn = da * gamma,
//
//     dx = scale * (dn - mean of dn - n * mean of dn n)          means over the row
__global__ void norm_backward(const half* da, const half* x, const float* gamma, Moments of, half* dx,
                              int rows, int width) {
  const int row = row_of_warp(), lane = threadIdx.x % 32;
  if (row >= rows) return;
  x += row * width, da += row * width, dx += row * width;
  const float mean = of.mean[row], scale = of.scale[row];
  float sum = 0, with_n = 0;
  for (int i = lane; i < width; i += 32) {
    const float dn = __half2float(da[i]) * gamma[i], n = (__half2float(x[i]) - mean) * scale;
    sum += dn;
    with_n += dn * n;
  }
  sum = over_warp(sum) / width;
  with_n = over_warp(with_n) / width;
  for (int i = lane; i < width; i += 32) {
    const float dn = __half2float(da[i]) * gamma[i], n = (__half2float(x[i]) - mean) * scale;
    dx[i] = __float2half(scale * (dn - sum - n * with_n));
  }
}

// dgamma: over all rows, da * (x - mean) * scale. A block for each column.
__global__ void gamma_backward(const half* da, const half* x, Moments of, float* dgamma, int rows,
                               int width) {
  __shared__ float sums[kBlock / 32];
  float sum = 0;
  for (int row = threadIdx.x; row < rows; row += kBlock) {
    const int i = row * width + blockIdx.x;
    sum += __half2float(da[i]) * (__half2float(x[i]) - of.mean[row]) * of.scale[row];
  }
  sum = over_warp(sum);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < kBlock / 32; ++w) sum += sums[w];
  dgamma[blockIdx.x] = sum;
}

// Scores become probabilities, in place.
__global__ void softmax(half* p, int rows, int columns) {
  const int row = row_of_warp(), lane = threadIdx.x % 32;
  if (row >= rows) return;
  p += static_cast<std::size_t>(row) * columns;
  float most = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) most = fmaxf(most, __half2float(p[i]));
  most = largest_of_warp(most);
  for (int i = lane; i < columns; i += 32) sum += __expf((__half2float(p[i]) - most) * kScale);
  sum = 1 / over_warp(sum);
  for (int i = lane; i < columns; i += 32)
    p[i] = __float2half(__expf((__half2float(p[i]) - most) * kScale) * sum);
}

// The gradient of scores from that of probabilities, in place: ds = p * (dp - sum of p dp) * kScale.
__global__ void softmax_backward(const half* p, half* dp, int rows, int columns) {
  const int row = row_of_warp(), lane = threadIdx.x % 32;
  if (row >= rows) return;
  p += static_cast<std::size_t>(row) * columns, dp += static_cast<std::size_t>(row) * columns;
  float sum = 0;
  for (int i = lane; i < columns; i += 32) sum += __half2float(p[i]) * __half2float(dp[i]);
  sum = over_warp(sum);
  for (int i = lane; i < columns; i += 32)
    dp[i] = __float2half(__half2float(p[i]) * (__half2float(dp[i]) - sum) * kScale);
}

// ---- elements: a thread for each ----

__device__ std::size_t element() { return blockIdx.x * std::size_t{kBlock} + threadIdx.x; }

__global__ void add(const half* a, const half* b, half* sum, std::size_t n) {
  const std::size_t i = element();
  if (i < n) sum[i] = __float2half(__half2float(a[i]) + __half2float(b[i]));
}

__global__ void gelu(const half* u, half* g, std::size_t n) {
  const std::size_t i = element();
  if (i >= n) return;
  const float v = __half2float(u[i]);
  g[i] = __float2half(0.5F * v * (1 + erff(v * 0.70710678F)));
}

// du = dg * (Phi(u) + u phi(u)): the normal distribution and its density.
__global__ void gelu_backward(const half* u, half* dg, std::size_t n) {
  const std::size_t i = element();
  if (i >= n) return;
  const float v = __half2float(u[i]);
  const float slope = 0.5F * (1 + erff(v * 0.70710678F)) + v * 0.39894228F * __expf(-0.5F * v * v);
  dg[i] = __float2half(__half2float(dg[i]) * slope);
}

// d = y - target: half the gradient of the squared error, and without the number of elements. As a half it
// would be too small: adam() multiplies by 2 / n at the end. Each block leaves its sum of squares behind.
__global__ void difference(const half* y, const half* target, half* d, float* of_blocks, std::size_t n) {
  __shared__ float sums[kBlock / 32];
  const std::size_t i = element();
  const float v = i < n ? __half2float(y[i]) - __half2float(target[i]) : 0;
  if (i < n) d[i] = __float2half(v);
  float sum = over_warp(v * v);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < kBlock / 32; ++w) sum += sums[w];
  of_blocks[blockIdx.x] = sum;
}

// One warp: the mean of all squares.
__global__ void mean_of_squares(const float* of_blocks, int blocks, float* loss, float per_element) {
  float sum = 0;
  for (int i = threadIdx.x; i < blocks; i += 32) sum += of_blocks[i];
  sum = over_warp(sum);
  if (threadIdx.x == 0) *loss = sum * per_element;
}

struct Adam {
  float rate, less1, less2;  // 1 - beta1^t, 1 - beta2^t
  float unscale;             // gradients come divided by it
};

// A step for one tensor.
__global__ void adam_kernel(Parameters p, const float* gradient, Adam adam, std::size_t n) {
  const std::size_t i = element();
  if (i >= n) return;
  const float g = gradient[i] * adam.unscale;
  const float m = p.m[i] = kBeta1 * p.m[i] + (1 - kBeta1) * g;
  const float v = p.v[i] = kBeta2 * p.v[i] + (1 - kBeta2) * g * g;
  const float w = p.w[i] -= adam.rate * (m / adam.less1) / (sqrtf(v / adam.less2) + kEpsilon);
  p.h[i] = __float2half(w);
}

}  // namespace

struct Model {
  Shape shape;
  Parameters parameters;
  char* memory;  // everything below lies in it

  half *a1, *qkv, *p, *o, *x1, *a2, *u, *g;            // forward; p: probabilities of all heads
  half *branch, *d, *du, *da, *dx1, *d_o, *dp, *dqkv;  // a product on its way to a sum; gradients
  Moments norm1, norm2;
  float *gradients, *squares;
};

Model* create(const Shape& shape, const Parameters& parameters, cudaStream_t) {
  auto* s = new Model{.shape = shape, .parameters = parameters};
  const std::size_t tokens = shape.tokens(), elements = tokens * shape.width;
  const std::size_t scores = tokens * shape.heads() * shape.length;
  // Two rounds: the first adds up, the second hands out.
  for (const bool handing_out : {false, true}) {
    std::size_t bytes = 0;
    const auto take = [&]<class T>(T*& array, std::size_t n) {
      if (handing_out) array = reinterpret_cast<T*>(s->memory + bytes);
      bytes += (n * sizeof(T) + 255) / 256 * 256;
    };
    for (half** each : {&s->a1, &s->o, &s->x1, &s->a2, &s->branch, &s->d, &s->da, &s->dx1, &s->d_o})
      take(*each, elements);
    for (half** each : {&s->qkv, &s->dqkv}) take(*each, 3 * elements);
    for (half** each : {&s->u, &s->g, &s->du}) take(*each, 4 * elements);
    for (half** each : {&s->p, &s->dp}) take(*each, scores);
    for (float** each : {&s->norm1.mean, &s->norm1.scale, &s->norm2.mean, &s->norm2.scale})
      take(*each, tokens);
    take(s->gradients, Offsets(shape.width).count);
    take(s->squares, blocks_for(elements));
    if (!handing_out) CUDA_CHECK(cudaMalloc(&s->memory, bytes));
  }
  return s;
}

void step(Model* s, const Batch& batch, cudaStream_t stream) {
  const Shape& shape = s->shape;
  const int tokens = shape.tokens(), width = shape.width, hidden = shape.hidden(), length = shape.length;
  const int heads = shape.heads(), matrices = shape.sequences * heads;
  const std::size_t elements = std::size_t(tokens) * width, inside = std::size_t(tokens) * hidden;
  const Parameters& p = s->parameters;
  const Offsets at(width);
  const unsigned warps = blocks_for(std::size_t(tokens) * 32),
                 score_warps = blocks_for(std::size_t(tokens) * heads * 32);
  const auto plain = [](auto* matrix, int distance) {
    return Matrices<std::remove_pointer_t<decltype(matrix)>>{matrix, distance};
  };
  const auto weights = [&](std::size_t offset, int columns) {
    return Matrices<const half>{p.h + offset, columns};
  };
  const auto gradient = [&](std::size_t offset, int columns) {
    return Matrices<float>{s->gradients + offset, columns};
  };
  const auto input = [](const half* matrix, int distance) { return Matrices<const half>{matrix, distance}; };
  // The part of each head, of q, k, v or their gradients; of o or its gradient; of the scores.
  const std::size_t rows = length, columns3 = 3 * width;
  const auto third = [&](auto* of, int which) {
    return Matrices<std::remove_pointer_t<decltype(of)>>{of + which * width, 3 * width, rows * columns3,
                                                         kHeadSize};
  };
  const auto head = [&](auto* of) {
    return Matrices<std::remove_pointer_t<decltype(of)>>{of, width, rows * width, kHeadSize};
  };
  const auto score = [&](auto* of) {
    return Matrices<std::remove_pointer_t<decltype(of)>>{of, length, heads * rows * rows, rows * rows};
  };
  const half* const qkv = s->qkv;
  const half *const probabilities = s->p, *const d_o = s->d_o, *const ds = s->dp;
  using enum Turned;

  // Forward.
  norm<<<warps, kBlock, 0, stream>>>(batch.x, p.w + at.gamma1, s->a1, s->norm1, tokens, width);
  product(kNone, input(s->a1, width), weights(at.qkv, 3 * width), plain(s->qkv, 3 * width), tokens, 3 * width,
          width, stream);
  product(kB, third(qkv, 0), third(qkv, 1), score(s->p), length, length, kHeadSize, stream, matrices, heads);
  softmax<<<score_warps, kBlock, 0, stream>>>(s->p, tokens * heads, length);
  product(kNone, score(probabilities), third(qkv, 2), head(s->o), length, kHeadSize, length, stream, matrices,
          heads);
  product(kNone, input(s->o, width), weights(at.out, width), plain(s->branch, width), tokens, width, width,
          stream);
  add<<<blocks_for(elements), kBlock, 0, stream>>>(batch.x, s->branch, s->x1, elements);
  norm<<<warps, kBlock, 0, stream>>>(s->x1, p.w + at.gamma2, s->a2, s->norm2, tokens, width);
  product(kNone, input(s->a2, width), weights(at.up, hidden), plain(s->u, hidden), tokens, hidden, width,
          stream);
  gelu<<<blocks_for(inside), kBlock, 0, stream>>>(s->u, s->g, inside);
  product(kNone, input(s->g, hidden), weights(at.down, width), plain(s->branch, width), tokens, width, hidden,
          stream);
  add<<<blocks_for(elements), kBlock, 0, stream>>>(s->x1, s->branch, s->branch, elements);

  // The loss, and the gradient of y.
  difference<<<blocks_for(elements), kBlock, 0, stream>>>(s->branch, batch.target, s->d, s->squares,
                                                          elements);
  mean_of_squares<<<1, 32, 0, stream>>>(s->squares, static_cast<int>(blocks_for(elements)), batch.loss,
                                        1.0F / static_cast<float>(elements));

  // Backward through the second half of the block ...
  product(kA, input(s->g, hidden), input(s->d, width), gradient(at.down, width), hidden, width, tokens,
          stream);
  product(kB, input(s->d, width), weights(at.down, width), plain(s->du, hidden), tokens, hidden, width,
          stream);
  gelu_backward<<<blocks_for(inside), kBlock, 0, stream>>>(s->u, s->du, inside);
  product(kA, input(s->a2, width), input(s->du, hidden), gradient(at.up, hidden), width, hidden, tokens,
          stream);
  product(kB, input(s->du, hidden), weights(at.up, hidden), plain(s->da, width), tokens, width, hidden,
          stream);
  gamma_backward<<<width, kBlock, 0, stream>>>(s->da, s->x1, s->norm2, s->gradients + at.gamma2, tokens,
                                               width);
  norm_backward<<<warps, kBlock, 0, stream>>>(s->da, s->x1, p.w + at.gamma2, s->norm2, s->branch, tokens,
                                              width);
  add<<<blocks_for(elements), kBlock, 0, stream>>>(s->d, s->branch, s->dx1, elements);

  // ... and through the first.
  product(kA, input(s->o, width), input(s->dx1, width), gradient(at.out, width), width, width, tokens,
          stream);
  product(kB, input(s->dx1, width), weights(at.out, width), plain(s->d_o, width), tokens, width, width,
          stream);
  product(kB, head(d_o), third(qkv, 2), score(s->dp), length, length, kHeadSize, stream, matrices, heads);
  product(kA, score(probabilities), head(d_o), third(s->dqkv, 2), length, kHeadSize, length, stream, matrices,
          heads);
  softmax_backward<<<score_warps, kBlock, 0, stream>>>(s->p, s->dp, tokens * heads, length);
  product(kNone, score(ds), third(qkv, 1), third(s->dqkv, 0), length, kHeadSize, length, stream, matrices,
          heads);
  product(kA, score(ds), third(qkv, 0), third(s->dqkv, 1), length, kHeadSize, length, stream, matrices,
          heads);
  product(kA, input(s->a1, width), input(s->dqkv, 3 * width), gradient(at.qkv, 3 * width), width, 3 * width,
          tokens, stream);
  product(kB, input(s->dqkv, 3 * width), weights(at.qkv, 3 * width), plain(s->da, width), tokens, width,
          3 * width, stream);
  gamma_backward<<<width, kBlock, 0, stream>>>(s->da, batch.x, s->norm1, s->gradients + at.gamma1, tokens,
                                               width);

  // Adam, tensor by tensor.
  const Adam adam{batch.rate, 1 - powf(kBeta1, batch.t), 1 - powf(kBeta2, batch.t),
                  2.0F / static_cast<float>(elements)};
  const std::size_t begins[] = {at.qkv, at.out, at.up, at.down, at.gamma1, at.gamma2, at.count};
  for (int i = 0; i < 6; ++i) {
    const std::size_t from = begins[i], n = begins[i + 1] - from;
    adam_kernel<<<blocks_for(n), kBlock, 0, stream>>>({p.w + from, p.m + from, p.v + from, p.h + from},
                                                      s->gradients + from, adam, n);
  }
  CUDA_CHECK(cudaGetLastError());
}

void release(Model* s) {
  CUDA_CHECK(cudaFree(s->memory));
  delete s;
}
