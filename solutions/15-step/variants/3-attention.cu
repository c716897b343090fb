// expect: pass
// bench: attention without scores
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Attention without scores in memory: forward as in lab 11, backward by computing the probabilities again.

#include <vector>

#include "cuda/check.h"
#include "step.h"
#include "tiles.h"

namespace {

constexpr int kBlock = 256;  // threads of an elementwise kernel
constexpr unsigned kAll = 0xffffffff;
constexpr float kScale = 0.125F, kPowers = kScale * 1.44269504F;  // exp(x / 8) = 2^(x kPowers)

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

constexpr int kTile = 64, kPad = 8, kDistance = kTile + kPad;  // kPad: rows are in different banks
constexpr int kStages = 3, kThreads = 128;                     // four warps of 32 x 32

struct Stage {
  half a[kTile * kDistance], b[kTile * kDistance];
};

// `rows` rows of `columns` halves for a block of so many threads; `from` is the first, rows are `distance`
// apart.
template <int rows, int columns, int threads>
__device__ void fetch_tile(half* to, const half* from, int distance) {
  constexpr int kPieces = columns / 8, kAtOnce = threads / kPieces;
  const int row = threadIdx.x / kPieces, column = threadIdx.x % kPieces * 8;
#pragma unroll
  for (int r = 0; r < rows; r += kAtOnce)
    if (rows % kAtOnce == 0 || row + r < rows)
      fetch8(to + (row + r) * (columns + kPad) + column, from + (row + r) * distance + column);
}

__device__ void put(float* to, float first, float second) {
  *reinterpret_cast<float2*>(to) = {first, second};
}
__device__ void put(half* to, float first, float second) {
  *reinterpret_cast<half2*>(to) = __floats2half2_rn(first, second);
}

enum class Turned { kNone, kA, kB };

// c = a b, a^T b or a b^T; a block computes 64 x 64.
template <Turned turned, class T>
__global__ void __launch_bounds__(kThreads)
    product_kernel(Matrices<const half> a, Matrices<const half> b, Matrices<T> c, int k, int heads) {
  extern __shared__ __align__(128) unsigned char memory[];
  Stage* const stages = reinterpret_cast<Stage*>(memory);
  const int row = blockIdx.y * kTile, column = blockIdx.x * kTile;
  const int warp_row = threadIdx.x / 64 * 32, warp_column = threadIdx.x / 32 % 2 * 32;
  const half *const left_from = matrix(a, heads), *const right_from = matrix(b, heads);
  const auto fetch = [&](int s) {
    const int at = s * kTile;
    Stage& to = stages[s % kStages];
    if (at < k) {
      fetch_tile<kTile, kTile, kThreads>(
          to.a, left_from + (turned == Turned::kA ? at * a.distance + row : row * a.distance + at),
          a.distance);
      fetch_tile<kTile, kTile, kThreads>(
          to.b, right_from + (turned == Turned::kB ? column * b.distance + at : at * b.distance + column),
          b.distance);
    }
    __pipeline_commit();
  };

  Sums sums[2][2];
  for (int s = 0; s < kStages - 1; ++s) fetch(s);
  for (int s = 0; s * kTile < k; ++s) {
    __pipeline_wait_prior(kStages - 2);  // this thread's part of the stage is there
    __syncthreads();                     // everybody's is, and everybody has read the one before
    fetch(s + kStages - 1);
    const Stage& now = stages[s % kStages];
#pragma unroll
    for (int depth = 0; depth < kTile; depth += 16) {
      Left left[2];
      Right right[2];
      for (int i = 0; i < 2; ++i) {
        const int r = warp_row + 16 * i, col = warp_column + 16 * i;
        left[i] = turned == Turned::kA ? load_left_transposed(now.a + depth * kDistance + r, kDistance)
                                       : load_left(now.a + r * kDistance + depth, kDistance);
        right[i] = turned == Turned::kB ? load_transposed(now.b + col * kDistance + depth, kDistance)
                                        : load_right(now.b + depth * kDistance + col, kDistance);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) multiply(sums[i][j], left[i], right[j]);
    }
  }
  T* const to = matrix(c, heads) + row * c.distance + column;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 8; e += 2)
        put(to + (warp_row + 16 * i + row_of(e)) * c.distance + warp_column + 16 * j + column_of(e),
            sums[i][j].at[e], sums[i][j].at[e + 1]);
}

// c = a b, a^T b or a b^T: of `matrices`, `heads` for each sequence.
template <class T>
void product(Turned turned, Matrices<const half> a, Matrices<const half> b, Matrices<T> c, int m, int n,
             int k, cudaStream_t stream, int matrices = 1, int heads = 1) {
  const auto kernel = turned == Turned::kNone ? product_kernel<Turned::kNone, T>
                      : turned == Turned::kA  ? product_kernel<Turned::kA, T>
                                              : product_kernel<Turned::kB, T>;
  constexpr int kBytes = kStages * sizeof(Stage);
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  kernel<<<dim3(n / kTile, m / kTile, matrices), kThreads, kBytes, stream>>>(a, b, c, k, heads);
  CUDA_CHECK(cudaGetLastError());
}

// ---- rows: a warp for each ----

__device__ float over_warp(float v) {
  for (int distance = 16; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
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

// dx from da. With n = (x - mean) * scale and dn = da * gamma, dx is scale * (dn - mean(dn) - n * mean(dn
// n)).
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

// ---- attention ----

__device__ float over_lanes(float v, int lanes) {  // neighbours, `lanes` of them
  for (int distance = lanes / 2; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  return v;
}
__device__ half2& pair_at(half* at, std::size_t i) { return *reinterpret_cast<half2*>(at + i); }

// A block has 32 rows of a head, 16 for a warp, and walks over tiles of 64 other rows of the same head, one
// for each group of two warps: a sequence of 192 is a single step. What groups have found is added up at the
// end.
constexpr int kOwn = 32, kOther = 64, kHeadGroups = 3, kHeadThreads = 64 * kHeadGroups;
constexpr int kTiles = kHeadSize / 16;

// Sums of a tile in shared memory, as the lanes have them: 16 bytes at a time, without conflicts.
struct Parked {
  float4 halves[2][32];
  __device__ void put(const Sums& sums) {
    const float* at = sums.at;
    for (int i = 0; i < 2; ++i)
      halves[i][threadIdx.x % 32] = {at[4 * i], at[4 * i + 1], at[4 * i + 2], at[4 * i + 3]};
  }
  __device__ void add_to(Sums& sums) const {
    for (int i = 0; i < 2; ++i) {
      const float4 v = halves[i][threadIdx.x % 32];
      float* at = sums.at + 4 * i;
      at[0] += v.x, at[1] += v.y, at[2] += v.z, at[3] += v.w;
    }
  }
};

struct HeadMemory {
  half own_a[kOwn * kDistance], own_b[kOwn * kDistance];
  union {
    struct {
      half a[kOther * kDistance], b[kOther * kDistance];
    } other[kHeadGroups];
    Parked parked[2][kHeadGroups][2][kTiles];
  };
  float log[kHeadGroups * kOther], along[kHeadGroups * kOther];  // of queries
  float most[kHeadGroups][kOwn], sum[kHeadGroups][kOwn];
};
__device__ HeadMemory& head_memory() {
  extern __shared__ __align__(128) unsigned char memory[];
  return *reinterpret_cast<HeadMemory*>(memory);
}

// Where a head of a sequence begins in rows of `distance` elements.
__device__ std::size_t head_begin(int length, int heads, int distance) {
  return std::size_t(blockIdx.y / heads) * length * distance + blockIdx.y % heads * kHeadSize;
}
__device__ int group_of_warp() { return threadIdx.x / 64; }
__device__ int row_of_group() { return threadIdx.x / 32 % 2 * 16; }

// Asks for the tiles of all groups from row `first` on: of a and b.
__device__ void fetch_others(HeadMemory& m, const half* a, int distance_a, const half* b, int distance_b,
                             int first, int length) {
  for (int g = 0; g < kHeadGroups; ++g) {
    const int row = first + g * kOther;
    if (row >= length) break;
    fetch_tile<kOther, kHeadSize, kHeadThreads>(m.other[g].a, a + row * distance_a, distance_a);
    fetch_tile<kOther, kHeadSize, kHeadThreads>(m.other[g].b, b + row * distance_b, distance_b);
  }
  __pipeline_commit();
}

// `logs` becomes, for each row of each head, the logarithm to base 2 of the sum of its powers:
// p = 2^(score * kPowers - log).
__global__ void __launch_bounds__(kHeadThreads)
    attention(const half* qkv, half* o, float* logs, int length, int width, int heads) {
  HeadMemory& m = head_memory();
  const int distance = 3 * width, row = blockIdx.x * kOwn, warp_row = row_of_group(), group = group_of_warp();
  const half* const q = qkv + head_begin(length, heads, distance);
  const half *const k = q + width, *const v = k + width;
  fetch_tile<kOwn, kHeadSize, kHeadThreads>(m.own_a, q + row * distance, distance);

  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  Sums out[kTiles];
  Left query[kTiles];
  for (int first = 0; first < length; first += kHeadGroups * kOther) {
    fetch_others(m, k, distance, v, distance, first, length);
    __pipeline_wait_prior(0);
    __syncthreads();
    if (first == 0)
      for (int d = 0; d < kTiles; ++d)
        query[d] = load_left(m.own_a + warp_row * kDistance + 16 * d, kDistance);
    if (first + group * kOther < length) {
      const auto& keys = m.other[group];
      Sums s[kTiles];
      for (int d = 0; d < kTiles; ++d)
        for (int j = 0; j < kTiles; ++j)
          multiply(s[j], query[d], load_transposed(keys.a + 16 * j * kDistance + 16 * d, kDistance));

      float larger[2] = {most[0], most[1]}, shrink[2];
      for (const Sums& tile : s)
        for (int i = 0; i < 8; ++i) larger[which_row(i)] = fmaxf(larger[which_row(i)], tile.at[i]);
      for (int r = 0; r < 2; ++r) {
        for (int lane = 1; lane < 4; lane *= 2)  // the four lanes that share a row
          larger[r] = fmaxf(larger[r], __shfl_xor_sync(kAll, larger[r], lane));
        shrink[r] = power_of_two((most[r] - larger[r]) * kPowers);
        most[r] = larger[r];
        sum[r] *= shrink[r];
      }
      for (Sums& tile : out)
        for (int i = 0; i < 8; ++i) tile.at[i] *= shrink[which_row(i)];
      for (int j = 0; j < kTiles; ++j) {
        Left p;
        for (int i = 0; i < 8; ++i) {
          s[j].at[i] = power_of_two((s[j].at[i] - most[which_row(i)]) * kPowers);
          sum[which_row(i)] += s[j].at[i];
        }
        for (int w = 0; w < 4; ++w) p.words[w] = pack(s[j].at[2 * w], s[j].at[2 * w + 1]);
        for (int d = 0; d < kTiles; ++d)
          multiply(out[d], p, load_right(keys.b + 16 * j * kDistance + 16 * d, kDistance));
      }
    }
    __syncthreads();
  }

  // All groups together: each finishes one or two tiles of 16 columns.
  for (int d = 0; d < kTiles; ++d) m.parked[0][group][warp_row / 16][d].put(out[d]);
  for (int r = 0; r < 2; ++r) {
    sum[r] = over_lanes(sum[r], 4);
    if (threadIdx.x % 4 > 0) continue;
    m.most[group][warp_row + row_of(2 * r)] = most[r];
    m.sum[group][warp_row + row_of(2 * r)] = sum[r];
  }
  __syncthreads();
  float factors[kHeadGroups][2];
  for (int r = 0; r < 2; ++r) {
    const int at = warp_row + row_of(2 * r);
    float of_all = -INFINITY, sum_of_all = 0;
    for (int g = 0; g < kHeadGroups; ++g) of_all = fmaxf(of_all, m.most[g][at]);
    for (int g = 0; g < kHeadGroups; ++g) {
      factors[g][r] = power_of_two((m.most[g][at] - of_all) * kPowers);
      sum_of_all += factors[g][r] * m.sum[g][at];
    }
    for (int g = 0; g < kHeadGroups; ++g) factors[g][r] /= sum_of_all;
    if (group == 0 && threadIdx.x % 4 == 0)
      logs[blockIdx.y * length + row + at] = of_all * kPowers + log2f(sum_of_all);
  }
  half* const to = o + head_begin(length, heads, width) + (row + warp_row) * width;
  for (int d = group; d < kTiles; d += kHeadGroups) {
    Sums whole;
    for (int g = 0; g < kHeadGroups; ++g) {
      Sums part;
      m.parked[0][g][warp_row / 16][d].add_to(part);
      for (int i = 0; i < 8; ++i) whole.at[i] += factors[g][which_row(i)] * part.at[i];
    }
    for (int i = 0; i < 8; i += 2)
      pair_at(to, row_of(i) * width + 16 * d + column_of(i)) =
          __floats2half2_rn(whole.at[i], whole.at[i + 1]);
  }
}

// Backward, probabilities computed again. With s = q k^T, dp = do v^T and ds = p * (dp - sum of do o) / 8,
//
//     dq = ds k          a block with 32 rows of queries walks over the keys: `kOfKeys` is false
//     dk = ds^T q        a block with 32 rows of keys walks over the queries; its sums are s^T and dp^T
//     dv = p^T do
//
// so that every sum belongs to one block: no atomics, and the same bits each time.
struct HeadBackward {
  const half *qkv, *o, *d_o;
  const float* logs;
  half* dqkv;
  int length, width, heads;
};

// Of `rows` queries from `first` on: the logarithm of the sum of powers, and the sum of do o. Eight lanes
// have a row.
__device__ void look_at_queries(HeadMemory& m, const HeadBackward& h, int first, int rows) {
  const int lane = threadIdx.x % 8;
  for (int r = threadIdx.x / 8; r < rows; r += kHeadThreads / 8) {
    const std::size_t at =
        head_begin(h.length, h.heads, h.width) + std::size_t(first + r) * h.width + 8 * lane;
    const uint4 left = *reinterpret_cast<const uint4*>(h.o + at);
    const uint4 right = *reinterpret_cast<const uint4*>(h.d_o + at);
    const half2 *a = reinterpret_cast<const half2*>(&left), *b = reinterpret_cast<const half2*>(&right);
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      const float2 x = __half22float2(a[i]), y = __half22float2(b[i]);
      sum += x.x * y.x + x.y * y.y;
    }
    sum = over_lanes(sum, 8);
    if (lane > 0) continue;
    m.log[r] = h.logs[blockIdx.y * h.length + first + r];
    m.along[r] = sum;
  }
}

template <bool kOfKeys>
__device__ void head_backward(const HeadBackward& h, int row) {
  HeadMemory& m = head_memory();
  const int distance = 3 * h.width, warp_row = row_of_group(), group = group_of_warp();
  const half* const q = h.qkv + head_begin(h.length, h.heads, distance);
  const half *const k = q + h.width, *const v = k + h.width;
  const half* const d_o = h.d_o + head_begin(h.length, h.heads, h.width);
  // The block's own rows, and those that it walks over.
  const half *const own_a = kOfKeys ? k : q, *const own_b = kOfKeys ? v : d_o;
  const half *const other_a = kOfKeys ? q : k, *const other_b = kOfKeys ? d_o : v;
  const int own_distance = kOfKeys ? distance : h.width, other_distance = kOfKeys ? h.width : distance;
  fetch_tile<kOwn, kHeadSize, kHeadThreads>(m.own_a, own_a + row * distance, distance);
  fetch_tile<kOwn, kHeadSize, kHeadThreads>(m.own_b, own_b + row * own_distance, own_distance);
  if (!kOfKeys) look_at_queries(m, h, row, kOwn);

  Left a[kTiles], b[kTiles];
  Sums of_s[kTiles], of_p[kTiles];  // dq, or dk and dv
  for (int first = 0; first < h.length; first += kHeadGroups * kOther) {
    fetch_others(m, other_a, distance, other_b, other_distance, first, h.length);
    if (kOfKeys) look_at_queries(m, h, first, min(kHeadGroups * kOther, h.length - first));
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int d = 0; d < kTiles; ++d) {
      a[d] = load_left(m.own_a + warp_row * kDistance + 16 * d, kDistance);
      b[d] = load_left(m.own_b + warp_row * kDistance + 16 * d, kDistance);
    }
    if (first + group * kOther < h.length) {
      const auto& other = m.other[group];
      for (int j = 0; j < kTiles; ++j) {
        Sums s, dp;
        for (int d = 0; d < kTiles; ++d) {
          multiply(s, a[d], load_transposed(other.a + 16 * j * kDistance + 16 * d, kDistance));
          multiply(dp, b[d], load_transposed(other.b + 16 * j * kDistance + 16 * d, kDistance));
        }
        for (int i = 0; i < 8; ++i) {
          const int query = kOfKeys ? group * kOther + 16 * j + column_of(i) : warp_row + row_of(i);
          s.at[i] = power_of_two(s.at[i] * kPowers - m.log[query]);
          dp.at[i] = s.at[i] * (dp.at[i] - m.along[query]) * kScale;
        }
        Left p, ds;
        for (int w = 0; w < 4; ++w) {
          p.words[w] = pack(s.at[2 * w], s.at[2 * w + 1]);
          ds.words[w] = pack(dp.at[2 * w], dp.at[2 * w + 1]);
        }
        for (int d = 0; d < kTiles; ++d) {
          multiply(of_s[d], ds, load_right(other.a + 16 * j * kDistance + 16 * d, kDistance));
          if (kOfKeys) multiply(of_p[d], p, load_right(other.b + 16 * j * kDistance + 16 * d, kDistance));
        }
      }
    }
    __syncthreads();
  }

  for (int d = 0; d < kTiles; ++d) {
    m.parked[0][group][warp_row / 16][d].put(of_s[d]);
    if (kOfKeys) m.parked[1][group][warp_row / 16][d].put(of_p[d]);
  }
  __syncthreads();
  half* const to = h.dqkv + head_begin(h.length, h.heads, distance) + (row + warp_row) * distance;
  for (int d = group; d < (kOfKeys ? 2 : 1) * kTiles; d += kHeadGroups) {
    const int which = d / kTiles;
    Sums whole;
    for (int g = 0; g < kHeadGroups; ++g) m.parked[which][g][warp_row / 16][d % kTiles].add_to(whole);
    half* const part = to + (kOfKeys ? which + 1 : 0) * h.width + d % kTiles * 16;
    for (int i = 0; i < 8; i += 2)
      pair_at(part, row_of(i) * distance + column_of(i)) = __floats2half2_rn(whole.at[i], whole.at[i + 1]);
  }
}

__global__ void __launch_bounds__(kHeadThreads) attention_backward(HeadBackward h) {
  const int row = blockIdx.x / 2 * kOwn;
  if (blockIdx.x % 2 == 0)
    head_backward<true>(h, row);
  else
    head_backward<false>(h, row);
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

  half *a1, *qkv, *o, *x1, *a2, *u, *g;           // forward
  half *branch, *d, *du, *da, *dx1, *d_o, *dqkv;  // a product on its way to a sum; gradients
  Moments norm1, norm2;
  float *gradients, *squares, *logs;
};

Model* create(const Shape& shape, const Parameters& parameters, cudaStream_t) {
  auto* s = new Model{.shape = shape, .parameters = parameters};
  const std::size_t tokens = shape.tokens(), elements = tokens * shape.width;
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
    for (float** each : {&s->norm1.mean, &s->norm1.scale, &s->norm2.mean, &s->norm2.scale})
      take(*each, tokens);
    take(s->gradients, Offsets(shape.width).count);
    take(s->squares, blocks_for(elements));
    take(s->logs, tokens * shape.heads());
    if (!handing_out) CUDA_CHECK(cudaMalloc(&s->memory, bytes));
  }
  return s;
}

void step(Model* s, const Batch& batch, cudaStream_t stream) {
  const Shape& shape = s->shape;
  const int tokens = shape.tokens(), width = shape.width, hidden = shape.hidden(), length = shape.length;
  const int heads = shape.heads();
  const std::size_t elements = std::size_t(tokens) * width, inside = std::size_t(tokens) * hidden;
  const Parameters& p = s->parameters;
  const Offsets at(width);
  const unsigned warps = blocks_for(std::size_t(tokens) * 32);
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
  const dim3 per_head(length / kOwn, shape.sequences * heads);
  for (const auto kernel : {(const void*)attention, (const void*)attention_backward})
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(HeadMemory)));
  using enum Turned;

  // Forward.
  norm<<<warps, kBlock, 0, stream>>>(batch.x, p.w + at.gamma1, s->a1, s->norm1, tokens, width);
  product(kNone, input(s->a1, width), weights(at.qkv, 3 * width), plain(s->qkv, 3 * width), tokens, 3 * width,
          width, stream);
  attention<<<per_head, kHeadThreads, sizeof(HeadMemory), stream>>>(s->qkv, s->o, s->logs, length, width,
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
  attention_backward<<<dim3(2 * per_head.x, per_head.y), kHeadThreads, sizeof(HeadMemory), stream>>>(
      {s->qkv, s->o, s->d_o, s->logs, s->dqkv, length, width, heads});
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
