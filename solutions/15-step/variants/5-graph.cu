// expect: good
// bench: one graph, one Adam for all
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The whole step is one graph, of which only the first kernel gets new parameters: it tells the others.
// Gradients are in memory, and one launch of Adam changes all matrices.

#include "cuda/check.h"
#include "step.h"
#include "tiles.h"

namespace {

constexpr unsigned kAll = 0xffffffff;
constexpr float kScale = 0.125F, kPowers = kScale * 1.44269504F;  // exp(x / 8) = 2^(x kPowers)

__device__ float over_lanes(float v, int lanes = 32) {  // neighbours, `lanes` of them
  for (int distance = lanes / 2; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  return v;
}
__device__ half2& pair_at(half* at, std::size_t i) { return *reinterpret_cast<half2*>(at + i); }
__device__ float2 pair_at(const half* at, std::size_t i) {
  return __half22float2(*reinterpret_cast<const half2*>(at + i));
}

// What a step needs to know of its batch, in device memory: the first kernel writes it, so that only that one
// has parameters which change.
struct Now {
  const half *x, *target;
  float* loss;
  float rate, unbias2;  // rate / (1 - beta1^t), 1 / (1 - beta2^t)
};

// ---- Adam ----

// One instruction of the special function unit; sqrtf takes ten.
__device__ float root(float v) {
  float result;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(v));
  return result;
}

struct Trained {
  Parameters p;
  const Now* now;
  float unscale;  // gradients come divided by it

  __device__ void change(float gradient, float& m, float& v, float& w) const {
    const float g = gradient * unscale;
    m = kBeta1 * m + (1 - kBeta1) * g;
    v = kBeta2 * v + (1 - kBeta2) * g * g;
    w -= __fdividef(now->rate * m, root(v * now->unbias2) + kEpsilon);
  }
  __device__ void change(std::size_t i, float gradient) const {
    change(gradient, p.m[i], p.v[i], p.w[i]);
    p.h[i] = __float2half(p.w[i]);
  }
  // Four neighbours.
  __device__ void change(std::size_t i, float4 gradient) const {
    float4 &m = *reinterpret_cast<float4*>(p.m + i), &v = *reinterpret_cast<float4*>(p.v + i),
           &w = *reinterpret_cast<float4*>(p.w + i);
    float4 new_m = m, new_v = v, new_w = w;
    change(gradient.x, new_m.x, new_v.x, new_w.x);
    change(gradient.y, new_m.y, new_v.y, new_w.y);
    change(gradient.z, new_m.z, new_v.z, new_w.z);
    change(gradient.w, new_m.w, new_v.w, new_w.w);
    m = new_m, v = new_v, w = new_w;
    half2* const h = reinterpret_cast<half2*>(p.h + i);
    h[0] = __floats2half2_rn(new_w.x, new_w.y);
    h[1] = __floats2half2_rn(new_w.z, new_w.w);
  }
};

// ---- products ----

constexpr int kRows = 64, kDepth = 64;  // of c, a block; of the terms, a stage
constexpr int kPad = 8;                 // halves: eight rows of 16 bytes are in different banks

// A block computes 64 x `columns`, each warp 64 x 32 of it, and of the terms those that its group has: with
// few blocks an SM, more warps hide what each waits for.
template <int columns, int groups, int stages>
struct Tile {
  static constexpr int kColumns = columns, kGroups = groups, kStages = stages;
  static constexpr int kWarps = columns / 32, kThreads = 32 * kWarps * groups;
};
using Square = Tile<64, 2, 2>;
using Long = Tile<64, 2, 3>;    // many terms
using Wide = Tile<128, 2, 2>;   // many columns
using Narrow = Tile<64, 4, 4>;  // few blocks, many terms

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

enum class Turned { kNone, kA, kB };

template <class T, Turned turned>
struct Stage {
  static constexpr int kRowsA = turned == Turned::kA ? kDepth : kRows;
  static constexpr int kColumnsA = turned == Turned::kA ? kRows : kDepth, kDistanceA = kColumnsA + kPad;
  static constexpr int kRowsB = turned == Turned::kB ? T::kColumns : kDepth;
  static constexpr int kColumnsB = turned == Turned::kB ? kDepth : T::kColumns, kDistanceB = kColumnsB + kPad;
  half a[kRowsA * kDistanceA], b[kRowsB * kDistanceB];
};
template <class T, Turned turned>
union ProductMemory {
  Stage<T, turned> stages[T::kStages];
  float sums[T::kGroups][kRows][T::kColumns + kPad];  // when everything is multiplied
};

// Operands of a product: a is rows of `distance_a`, b of `distance_b`; `terms` of them.
struct Operands {
  const half *a, *b;
  int distance_a, distance_b, terms;
};

// One block's part of c = a b, a^T b or a b^T; sizes are multiples of 64. `then` gets eight neighbouring sums
// at a time: (row, column, sums).
template <class T, Turned turned, class Then>
__device__ void product_of_block(const Operands& of, int row, int column, Then& then) {
  using S = Stage<T, turned>;
  extern __shared__ __align__(128) unsigned char memory[];
  auto& shared = *reinterpret_cast<ProductMemory<T, turned>*>(memory);
  const int warp_column = threadIdx.x / 32 % T::kWarps * 32, group = threadIdx.x / 32 / T::kWarps;
  const auto fetch = [&](int s) {
    const int at = s * kDepth;
    if (at < of.terms) {
      S& to = shared.stages[s % T::kStages];
      fetch_tile<S::kRowsA, S::kColumnsA, T::kThreads>(
          to.a, of.a + (turned == Turned::kA ? at * of.distance_a + row : row * of.distance_a + at),
          of.distance_a);
      fetch_tile<S::kRowsB, S::kColumnsB, T::kThreads>(
          to.b, of.b + (turned == Turned::kB ? column * of.distance_b + at : at * of.distance_b + column),
          of.distance_b);
    }
    __pipeline_commit();
  };

  Sums sums[4][2];
  for (int s = 0; s < T::kStages - 1; ++s) fetch(s);
  for (int s = 0; s * kDepth < of.terms; ++s) {
    __pipeline_wait_prior(T::kStages - 2);  // this thread's part of the stage is there
    __syncthreads();                        // everybody's is, and everybody has read the one before
    const S& now = shared.stages[s % T::kStages];
#pragma unroll
    for (int of_group = 0; of_group < kDepth / T::kGroups; of_group += 16) {
      const int depth = group * (kDepth / T::kGroups) + of_group;
      Left left[4];
      Right right[2];
      for (int i = 0; i < 4; ++i)
        left[i] = turned == Turned::kA
                      ? load_left_transposed(now.a + depth * S::kDistanceA + 16 * i, S::kDistanceA)
                      : load_left(now.a + 16 * i * S::kDistanceA + depth, S::kDistanceA);
      for (int j = 0; j < 2; ++j) {
        const int c = warp_column + 16 * j;
        right[j] = turned == Turned::kB ? load_transposed(now.b + c * S::kDistanceB + depth, S::kDistanceB)
                                        : load_right(now.b + depth * S::kDistanceB + c, S::kDistanceB);
      }
      if (of_group == 0) fetch(s + T::kStages - 1);  // while the operands are on their way
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 2; ++j) multiply(sums[i][j], left[i], right[j]);
    }
  }

  // Through shared memory, where groups are added up, to rows: what follows then moves 16 bytes at a time.
  __pipeline_wait_prior(0);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 8; e += 2)
        *reinterpret_cast<float2*>(
            &shared.sums[group][16 * i + row_of(e)][warp_column + 16 * j + column_of(e)]) = {
            sums[i][j].at[e], sums[i][j].at[e + 1]};
  __syncthreads();
  constexpr int kPieces = T::kColumns / 8;
#pragma unroll 2
  for (int r = threadIdx.x / kPieces; r < kRows; r += T::kThreads / kPieces) {
    const int c = threadIdx.x % kPieces * 8;
    float v[8] = {};
#pragma unroll
    for (int g = 0; g < T::kGroups; ++g)
      for (int i = 0; i < 8; i += 4) {
        const float4 part = *reinterpret_cast<const float4*>(&shared.sums[g][r][c + i]);
        v[i] += part.x, v[i + 1] += part.y, v[i + 2] += part.z, v[i + 3] += part.w;
      }
    then.eight(row + r, column + c, v);
  }
  then.end();
}

template <class T, Turned turned, class Then>
__global__ void __launch_bounds__(T::kThreads) product_kernel(Operands of, Then then) {
  product_of_block<T, turned>(of, blockIdx.y * kRows, blockIdx.x * T::kColumns, then);
}

// ---- what follows a product ----

// Eight halves, 16 bytes.
struct Eight {
  half2 pairs[4];
};
__device__ void load8(const half* from, float* v) {
  const uint4 words = *reinterpret_cast<const uint4*>(from);
  const Eight eight = reinterpret_cast<const Eight&>(words);
  for (int i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(eight.pairs[i]);
    v[2 * i] = pair.x, v[2 * i + 1] = pair.y;
  }
}
__device__ void store8(half* to, const float* v) {
  Eight eight;
  for (int i = 0; i < 4; ++i) eight.pairs[i] = __floats2half2_rn(v[2 * i], v[2 * i + 1]);
  *reinterpret_cast<uint4*>(to) = reinterpret_cast<const uint4&>(eight);
}

struct Store {
  half* to;
  int columns;
  __device__ void eight(int row, int column, const float* v) { store8(to + row * columns + column, v); }
  __device__ void end() {}
};

struct AddX {  // x1 = x + sums
  const Now* now;
  half* to;
  int columns;
  __device__ void eight(int row, int column, float* v) {
    const int at = row * columns + column;
    float x[8];
    load8(now->x + at, x);
    for (int i = 0; i < 8; ++i) v[i] += x[i];
    store8(to + at, v);
  }
  __device__ void end() {}
};

// The normal distribution's density and its sum up to u, by a polynomial (Abramowitz and Stegun, 7.1.26: to
// 1e-7): erff takes three times as many instructions.
struct Normal {
  float sum, density;
  __device__ explicit Normal(float u) {
    const float t = __fdividef(1, 1 + 0.23164189F * fabsf(u)), power = __expf(-0.5F * u * u);
    const float rest =
        0.5F * power * t *
        (0.254829592F + t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
    sum = u < 0 ? rest : 1 - rest;
    density = 0.39894228F * power;
  }
};

struct Gelu {
  half *u, *g;
  int columns;
  __device__ void eight(int row, int column, float* v) {
    const int at = row * columns + column;
    store8(u + at, v);
    for (int i = 0; i < 8; ++i) v[i] *= Normal(v[i]).sum;
    store8(g + at, v);
  }
  __device__ void end() {}
};

struct GeluBackward {
  const half* u;
  half* du;
  int columns;
  __device__ void eight(int row, int column, float* v) {
    const int at = row * columns + column;
    float before[8];
    load8(u + at, before);
    for (int i = 0; i < 8; ++i) {
      const Normal of(before[i]);
      v[i] *= of.sum + before[i] * of.density;
    }
    store8(du + at, v);
  }
  __device__ void end() {}
};

// d = x1 + sums - target: half the gradient of the squared error, and without the number of elements. As a
// half that would be too small: Adam multiplies by 2 / elements at the end.
struct Difference {
  const Now* now;
  const half* x1;
  half* d;
  float* squares;  // one sum for each warp
  int columns;
  float sum = 0;
  __device__ void eight(int row, int column, float* v) {
    const int at = row * columns + column;
    float x[8], target[8];
    load8(x1 + at, x);
    load8(now->target + at, target);
    for (int i = 0; i < 8; ++i) {
      v[i] += x[i] - target[i];
      sum += v[i] * v[i];
    }
    store8(d + at, v);
  }
  __device__ void end() {
    sum = over_lanes(sum);
    const int block = blockIdx.y * gridDim.x + blockIdx.x, warps = blockDim.x / 32;
    if (threadIdx.x % 32 == 0) squares[block * warps + threadIdx.x / 32] = sum;
  }
};

struct StoreFloats {
  float* to;
  int columns;
  __device__ void eight(int row, int column, const float* v) {
    for (int i = 0; i < 8; i += 4)
      *reinterpret_cast<float4*>(to + std::size_t(row) * columns + column + i) = {v[i], v[i + 1], v[i + 2],
                                                                                  v[i + 3]};
  }
  __device__ void end() {}
};

template <class T, Turned turned, class Then>
void product(const half* a, const half* b, int m, int n, int k, Then then, cudaStream_t stream) {
  constexpr int kBytes = sizeof(ProductMemory<T, turned>);
  const auto kernel = product_kernel<T, turned, Then>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const Operands of{a, b, turned == Turned::kA ? m : k, turned == Turned::kB ? k : n, k};
  kernel<<<dim3(n / T::kColumns, m / kRows), T::kThreads, kBytes, stream>>>(of, then);
  CUDA_CHECK(cudaGetLastError());
}

// All matrices, four parameters a thread.
__global__ void adam(Trained of, const float4* gradients, std::size_t fours) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < fours) of.change(4 * i, gradients[i]);
}

// ---- attention ----

// A block has 32 rows of a head, 16 for a warp, and walks over tiles of 64 other rows of the same head, one
// for each group of two warps: a sequence of 192 is a single step. What groups have found is added up at the
// end.
constexpr int kOwn = 32, kOther = 64, kHeadGroups = 3, kHeadThreads = 64 * kHeadGroups;
constexpr int kTiles = kHeadSize / 16, kDistance = kHeadSize + kPad;

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

// ---- rows: a warp for each; a lane has two neighbours of each 64 columns ----

constexpr int kRowWarps = 4, kMostPairs = 4;  // rows a block; pairs a lane: width 256

// A row's mean and 1 / sqrt(variance + epsilon).
using Moments = float2;

__device__ void norm_row(const half* x, const float* gamma, half* a, Moments* of, int row, int width) {
  const int first = threadIdx.x % 32 * 2, pairs = width / 64;
  x += row * width, a += row * width;
  float2 v[kMostPairs];
  float sum = 0, squares = 0;
  for (int j = 0; j < kMostPairs; ++j) {
    v[j] = j < pairs ? pair_at(x, 64 * j + first) : float2{0, 0};
    sum += v[j].x + v[j].y;
  }
  const float mean = over_lanes(sum) / width;
  for (int j = 0; j < kMostPairs; ++j)
    if (j < pairs) {
      v[j].x -= mean, v[j].y -= mean;
      squares += v[j].x * v[j].x + v[j].y * v[j].y;
    }
  const float scale = rsqrtf(over_lanes(squares) / width + kNormEpsilon);
  for (int j = 0; j < kMostPairs; ++j)
    if (j < pairs) {
      const float2 g = *reinterpret_cast<const float2*>(gamma + 64 * j + first);
      pair_at(a, 64 * j + first) = __floats2half2_rn(v[j].x * scale * g.x, v[j].y * scale * g.y);
    }
  if (threadIdx.x % 32 == 0) of[row] = {mean, scale};
}

__device__ int row_of_warp() { return blockIdx.x * kRowWarps + threadIdx.x / 32; }

// Also tells the kernels that follow what is new.
__global__ void norm_first(Now now, Now* for_all, const float* gamma, half* a, Moments* of, int width) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *for_all = now;
  norm_row(now.x, gamma, a, of, row_of_warp(), width);
}
__global__ void norm_second(const half* x, const float* gamma, half* a, Moments* of, int width) {
  norm_row(x, gamma, a, of, row_of_warp(), width);
}

// dx1 = d + the gradient of what was normalised, and each block's part of dgamma. Without dx1 the latter
// alone.
template <bool kWithX>
__global__ void norm_backward(const half* da, const half* x, const Now* now, const float* gamma,
                              const Moments* of, const half* d, half* dx1, float* parts, int width) {
  __shared__ float sums[kRowWarps][64 * kMostPairs];
  const int row = row_of_warp(), first = threadIdx.x % 32 * 2, pairs = width / 64;
  if (!kWithX) x = now->x;
  x += row * width, da += row * width;
  const Moments moments = of[row];
  float2 n[kMostPairs], dn[kMostPairs];
  float sum = 0, with_n = 0;
  for (int j = 0; j < kMostPairs; ++j) {
    if (j >= pairs) continue;
    const int at = 64 * j + first;
    const float2 v = pair_at(x, at), of_a = pair_at(da, at), g = *reinterpret_cast<const float2*>(gamma + at);
    n[j] = {(v.x - moments.x) * moments.y, (v.y - moments.x) * moments.y};
    *reinterpret_cast<float2*>(sums[threadIdx.x / 32] + at) = {of_a.x * n[j].x, of_a.y * n[j].y};
    dn[j] = {of_a.x * g.x, of_a.y * g.y};
    sum += dn[j].x + dn[j].y;
    with_n += dn[j].x * n[j].x + dn[j].y * n[j].y;
  }
  if (kWithX) {
    sum = over_lanes(sum) / width;
    with_n = over_lanes(with_n) / width;
    for (int j = 0; j < kMostPairs; ++j) {
      if (j >= pairs) continue;
      const int at = row * width + 64 * j + first;
      const float2 rest = pair_at(d, at);
      pair_at(dx1, at) = __floats2half2_rn(rest.x + moments.y * (dn[j].x - sum - n[j].x * with_n),
                                           rest.y + moments.y * (dn[j].y - sum - n[j].y * with_n));
    }
  }
  __syncthreads();
  for (int column = threadIdx.x; column < width; column += 32 * kRowWarps) {
    float of_block = 0;
    for (int w = 0; w < kRowWarps; ++w) of_block += sums[w][column];
    parts[blockIdx.x * width + column] = of_block;
  }
}

// Adds up what blocks have left behind, 32 columns a block: dgamma of both norms, and the loss.
constexpr int kAddLanes = 32, kAddRows = 16;

__global__ void finish(Trained of, std::size_t gammas, const float* parts1, const float* parts2, int blocks,
                       int width, const float* squares, int count, float per_element) {
  __shared__ float sums[kAddRows][kAddLanes];
  const int norm_blocks = width / kAddLanes, which = blockIdx.x / norm_blocks;  // 2: the loss
  const int column = blockIdx.x % norm_blocks * kAddLanes + threadIdx.x;
  float sum = 0;
  if (which == 2)
    for (int i = threadIdx.y * kAddLanes + threadIdx.x; i < count; i += kAddRows * kAddLanes)
      sum += squares[i];
  else
    for (int b = threadIdx.y; b < blocks; b += kAddRows)
      sum += (which == 0 ? parts1 : parts2)[b * width + column];
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y > 0) return;
  for (int r = 1; r < kAddRows; ++r) sum += sums[r][threadIdx.x];
  if (which < 2) {
    of.change(gammas + which * width + column, sum);
    return;
  }
  sum = over_lanes(sum);
  if (threadIdx.x == 0) *of.now->loss = sum * per_element;
}

}  // namespace

struct Model {
  Shape shape;
  Parameters parameters;
  char* memory;  // everything up to `now` lies in it
  half *a1, *qkv, *o, *x1, *a2, *u, *g, *d, *du, *da, *dx1, *d_o, *dqkv;
  Moments *norm1, *norm2;
  float *logs, *squares, *parts1, *parts2, *gradients;
  Now* now;

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t first;

  int row_blocks() const { return shape.tokens() / kRowWarps; }
  int square_sums() const {  // a warp's each, of the product with Wdown
    return shape.tokens() / kRows * (shape.width / Narrow::kColumns) * (Narrow::kThreads / 32);
  }
  void allocate();
  void capture(cudaStream_t stream);
};

void Model::allocate() {
  const std::size_t tokens = shape.tokens(), elements = tokens * shape.width;
  // Two rounds: the first adds up, the second hands out.
  for (const bool handing_out : {false, true}) {
    std::size_t bytes = 0;
    const auto take = [&]<class T>(T*& array, std::size_t n) {
      if (handing_out) array = reinterpret_cast<T*>(memory + bytes);
      bytes += (n * sizeof(T) + 255) / 256 * 256;
    };
    for (half** each : {&a1, &o, &x1, &a2, &d, &da, &dx1, &d_o}) take(*each, elements);
    for (half** each : {&qkv, &dqkv}) take(*each, 3 * elements);
    for (half** each : {&u, &g, &du}) take(*each, 4 * elements);
    for (Moments** each : {&norm1, &norm2}) take(*each, tokens);
    take(logs, tokens * shape.heads());
    take(squares, square_sums());
    for (float** each : {&parts1, &parts2}) take(*each, std::size_t(row_blocks()) * shape.width);
    take(gradients, Offsets(shape.width).count);
    take(now, 1);
    if (!handing_out) CUDA_CHECK(cudaMalloc(&memory, bytes));
  }
}

// All of a step.
void Model::capture(cudaStream_t stream) {
  const int tokens = shape.tokens(), width = shape.width, hidden = shape.hidden(), heads = shape.heads();
  const Offsets at(width);
  const half* const h = parameters.h;
  const float* const w = parameters.w;
  const Trained all{parameters, now, 2.0F / (static_cast<float>(tokens) * width)};
  const dim3 per_head(shape.length / kOwn, shape.sequences * heads);
  for (const auto kernel : {(const void*)attention, (const void*)attention_backward})
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(HeadMemory)));
  using enum Turned;

  norm_first<<<row_blocks(), 32 * kRowWarps, 0, stream>>>({}, now, w + at.gamma1, a1, norm1, width);
  product<Square, kNone>(a1, h + at.qkv, tokens, 3 * width, width, Store{qkv, 3 * width}, stream);
  attention<<<per_head, kHeadThreads, sizeof(HeadMemory), stream>>>(qkv, o, logs, shape.length, width, heads);
  product<Narrow, kNone>(o, h + at.out, tokens, width, width, AddX{now, x1, width}, stream);
  norm_second<<<row_blocks(), 32 * kRowWarps, 0, stream>>>(x1, w + at.gamma2, a2, norm2, width);
  product<Wide, kNone>(a2, h + at.up, tokens, hidden, width, Gelu{u, g, hidden}, stream);
  product<Narrow, kNone>(g, h + at.down, tokens, width, hidden, Difference{now, x1, d, squares, width},
                         stream);

  product<Wide, kB>(d, h + at.down, tokens, hidden, width, GeluBackward{u, du, hidden}, stream);
  product<Narrow, kB>(du, h + at.up, tokens, width, hidden, Store{da, width}, stream);
  norm_backward<true>
      <<<row_blocks(), 32 * kRowWarps, 0, stream>>>(da, x1, now, w + at.gamma2, norm2, d, dx1, parts2, width);
  product<Narrow, kB>(dx1, h + at.out, tokens, width, width, Store{d_o, width}, stream);
  attention_backward<<<dim3(2 * per_head.x, per_head.y), kHeadThreads, sizeof(HeadMemory), stream>>>(
      {qkv, o, d_o, logs, dqkv, shape.length, width, heads});
  product<Narrow, kB>(dqkv, h + at.qkv, tokens, width, 3 * width, Store{da, width}, stream);

  const auto gradient = [&](std::size_t offset, int columns) {
    return StoreFloats{gradients + offset, columns};
  };
  product<Long, kA>(g, d, hidden, width, tokens, gradient(at.down, width), stream);
  product<Long, kA>(a2, du, width, hidden, tokens, gradient(at.up, hidden), stream);
  product<Long, kA>(o, dx1, width, width, tokens, gradient(at.out, width), stream);
  product<Long, kA>(a1, dqkv, width, 3 * width, tokens, gradient(at.qkv, 3 * width), stream);
  constexpr int kBlock = 256;
  const std::size_t fours = at.gamma1 / 4;
  adam<<<(fours + kBlock - 1) / kBlock, kBlock, 0, stream>>>(all, reinterpret_cast<const float4*>(gradients),
                                                             fours);
  norm_backward<false><<<row_blocks(), 32 * kRowWarps, 0, stream>>>(da, nullptr, now, w + at.gamma1, norm1,
                                                                    nullptr, nullptr, parts1, width);
  finish<<<2 * width / kAddLanes + 1, dim3(kAddLanes, kAddRows), 0, stream>>>(
      all, at.gamma1, parts1, parts2, row_blocks(), width, squares, square_sums(),
      1.0F / (static_cast<float>(tokens) * width));
  CUDA_CHECK(cudaGetLastError());
}

Model* create(const Shape& shape, const Parameters& parameters, cudaStream_t stream) {
  auto* s = new Model{.shape = shape, .parameters = parameters};
  s->allocate();
  CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  s->capture(stream);
  CUDA_CHECK(cudaStreamEndCapture(stream, &s->graph));
  std::size_t one = 1;
  CUDA_CHECK(cudaGraphGetRootNodes(s->graph, &s->first, &one));
  CUDA_CHECK(cudaGraphInstantiate(&s->exec, s->graph, 0));
  CUDA_CHECK(cudaGraphUpload(s->exec, stream));
  return s;
}

void step(Model* s, const Batch& batch, cudaStream_t stream) {
  Now now{batch.x, batch.target, batch.loss, batch.rate / (1 - powf(kBeta1, batch.t)),
          1 / (1 - powf(kBeta2, batch.t))};
  cudaKernelNodeParams node;  // the kernel, its grid and its block stay, and all parameters but the first
  CUDA_CHECK(cudaGraphKernelNodeGetParams(s->first, &node));
  const float* gamma = s->parameters.w + Offsets(s->shape.width).gamma1;
  void* arguments[] = {&now, &s->now, &gamma, &s->a1, &s->norm1, &s->shape.width};
  node.kernelParams = arguments;
  CUDA_CHECK(cudaGraphExecKernelNodeSetParams(s->exec, s->first, &node));
  CUDA_CHECK(cudaGraphLaunch(s->exec, stream));
}

void release(Model* s) {
  CUDA_CHECK(cudaGraphExecDestroy(s->exec));
  CUDA_CHECK(cudaGraphDestroy(s->graph));
  CUDA_CHECK(cudaFree(s->memory));
  delete s;
}
