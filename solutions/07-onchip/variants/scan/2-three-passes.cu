// expect: pass
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A block for each tile of x: running sums within the tile, and the tile's sum into the scratch memory. A
// second kernel makes a running sum of these, a third adds it to y: x is read, y written, read and written,
// 16 bytes.

#include "scan.h"

namespace {

constexpr int kBlock = 256, kWarps = kBlock / 32, kRows = 4, kTile = kBlock * 4 * kRows;
constexpr unsigned kAll = 0xffffffffU;

// Four neighbours: 16 bytes at once where the address allows it and all four exist.
__device__ bool whole(const std::uint32_t* array, std::size_t i, std::size_t n) {
  return i + 4 <= n && reinterpret_cast<std::size_t>(array) % 16 == 0;
}
__device__ uint4 load(const std::uint32_t* x, std::size_t i, std::size_t n) {
  if (whole(x, i, n)) return *reinterpret_cast<const uint4*>(x + i);
  const auto at = [&](std::size_t k) { return k < n ? x[k] : 0; };
  return {at(i), at(i + 1), at(i + 2), at(i + 3)};
}
// __stwb: a store that the compiler leaves in one piece.
__device__ void store(std::uint32_t* y, std::size_t i, std::size_t n, uint4 v) {
  if (whole(y, i, n)) return __stwb(reinterpret_cast<uint4*>(y + i), v);
  if (i < n) y[i] = v.x;
  if (i + 1 < n) y[i + 1] = v.y;
  if (i + 2 < n) y[i + 2] = v.z;
  if (i + 3 < n) y[i + 3] = v.w;
}

// The sum of this lane's number and of those of the lanes below.
__device__ std::uint32_t up_to_here(std::uint32_t v) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t below = __shfl_up_sync(kAll, v, distance);
    if (threadIdx.x % 32 >= distance) v += below;
  }
  return v;
}

// A warp's part of a tile: rows of 128 numbers, four for each lane.
struct Rows {
  uint4 v[kRows];
  std::uint32_t before[kRows];  // the sum of what is before the lane's four in the warp's part
  std::uint32_t sum = 0;        // of all rows

  __device__ Rows(const std::uint32_t* x, std::size_t first, std::size_t n) {
    for (int k = 0; k < kRows; ++k) v[k] = load(x, first + 128 * k, n);
    for (int k = 0; k < kRows; ++k) {
      const std::uint32_t own = v[k].x + v[k].y + v[k].z + v[k].w, here = up_to_here(own);
      before[k] = sum + here - own;
      sum += __shfl_sync(kAll, here, 31);
    }
  }
  __device__ void write(std::uint32_t* y, std::size_t first, std::size_t n, std::uint32_t start) const {
    for (int k = 0; k < kRows; ++k) {
      const std::uint32_t a = start + before[k], b = a + v[k].x, c = b + v[k].y, d = c + v[k].z;
      store(y, first + 128 * k, n, {a, b, c, d});
    }
  }
};

__device__ std::size_t first_of_thread(std::size_t tile) {
  return tile * kTile + threadIdx.x / 32 * (kTile / kWarps) + threadIdx.x % 32 * 4;
}

__global__ void tiles_kernel(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint32_t* sums) {
  __shared__ std::uint32_t warps[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const std::size_t first = first_of_thread(blockIdx.x);
  const Rows rows(x, first, n);
  if (lane == 31) warps[warp] = rows.sum;
  __syncthreads();
  if (warp == 0) {
    const std::uint32_t own = lane < kWarps ? warps[lane] : 0, here = up_to_here(own);
    if (lane < kWarps) warps[lane] = here - own;
    if (lane == 31) sums[blockIdx.x] = here;
  }
  __syncthreads();
  rows.write(y, first, n, warps[warp]);
}

// The running sum of the tiles' sums, exclusive and in place, by one block.
__global__ void sums_kernel(std::uint32_t* sums, std::size_t tiles) {
  __shared__ std::uint32_t warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t start = 0;
  for (std::size_t first = 0; first < tiles; first += 1024) {
    const std::size_t i = first + threadIdx.x;
    const std::uint32_t own = i < tiles ? sums[i] : 0, here = up_to_here(own);
    if (lane == 31) warps[warp] = here;
    __syncthreads();
    if (warp == 0) warps[lane] = up_to_here(warps[lane]);
    __syncthreads();
    if (i < tiles) sums[i] = start + (warp > 0 ? warps[warp - 1] : 0) + here - own;
    start += warps[31];
    __syncthreads();
  }
}

__global__ void add_kernel(std::uint32_t* y, std::size_t n, const std::uint32_t* sums) {
  const std::size_t first = first_of_thread(blockIdx.x);
  const std::uint32_t start = sums[blockIdx.x];
  for (int k = 0; k < kRows; ++k) {
    const uint4 v = load(y, first + 128 * k, n);
    store(y, first + 128 * k, n, {start + v.x, start + v.y, start + v.z, start + v.w});
  }
}

}  // namespace

void scan(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch,
          cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + kTile - 1) / kTile;
  auto* sums = reinterpret_cast<std::uint32_t*>(scratch);
  tiles_kernel<<<unsigned(tiles), kBlock, 0, stream>>>(x, y, n, sums);
  sums_kernel<<<1, 1024, 0, stream>>>(sums, tiles);
  add_kernel<<<unsigned(tiles), kBlock, 0, stream>>>(y, n, sums);
}
