// expect: good
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One pass, 8 bytes: a block that has summed up its tile says so in the scratch memory, and one thread looks
// back, tile by tile, until one knows the sum of all before it.

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

// What a tile says: nothing yet, its own sum, or the sum of everything up to its end. A sum is written before
// the state that announces it, and read after it, with a fence between on both sides.
struct Said {
  volatile std::uint32_t state;
  std::uint32_t own, up_to_here;
};
constexpr std::uint32_t kNothing = 0, kOwn = 1, kUpToHere = 2;

__device__ void say_own(Said& tile, std::uint32_t sum) {
  tile.own = sum;
  __threadfence();
  tile.state = kOwn;
}
__device__ void say_up_to_here(Said& tile, std::uint32_t sum) {
  tile.up_to_here = sum;
  __threadfence();
  tile.state = kUpToHere;
}

// The sum of all tiles before this one, by one thread.
__device__ std::uint32_t look_back(const Said* said, int tile) {
  std::uint32_t sum = 0;
  for (int before = tile - 1; before >= 0; --before) {
    std::uint32_t state = kNothing;
    while (state == kNothing) state = said[before].state;
    __threadfence();
    if (state == kUpToHere) return sum + said[before].up_to_here;
    sum += said[before].own;
  }
  return sum;
}

// All begins at 0.
__global__ void scan_kernel(const std::uint32_t* x, std::uint32_t* y, std::size_t n, unsigned* tickets,
                            Said* said) {
  __shared__ std::uint32_t warps[kWarps];
  __shared__ int ticket;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // Blocks start in any order: who draws a ticket knows that those with the tickets before it have started.
  if (threadIdx.x == 0) ticket = int(atomicAdd(tickets, 1));
  __syncthreads();
  const int tile = ticket;

  const std::size_t first = first_of_thread(tile);
  const Rows rows(x, first, n);
  if (lane == 31) warps[warp] = rows.sum;
  __syncthreads();
  if (warp == 0) {
    const std::uint32_t own = lane < kWarps ? warps[lane] : 0, here = up_to_here(own);
    const std::uint32_t all = __shfl_sync(kAll, here, 31);
    std::uint32_t before = 0;
    if (lane == 0) {
      say_own(said[tile], all);
      before = look_back(said, tile);
      say_up_to_here(said[tile], before + all);
    }
    before = __shfl_sync(kAll, before, 0);
    if (lane < kWarps) warps[lane] = before + here - own;
  }
  __syncthreads();
  rows.write(y, first, n, warps[warp]);
}

}  // namespace

void scan(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch,
          cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + kTile - 1) / kTile;
  auto* said = reinterpret_cast<Said*>(scratch + 1);
  cudaMemsetAsync(scratch, 0, sizeof(std::uint64_t) + tiles * sizeof(Said), stream);
  scan_kernel<<<unsigned(tiles), kBlock, 0, stream>>>(x, y, n, reinterpret_cast<unsigned*>(scratch), said);
}
