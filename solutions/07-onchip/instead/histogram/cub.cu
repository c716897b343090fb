// bench: CUB, sorted by key, then reduced
// needs: gpu
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The library's histogram has no weights. What it offers for any key is to sort the pairs, so that equal keys
// lie beside each other, and to add up the runs. Keys of a byte need one pass of the sort.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>

#include "histogram.h"

namespace {

struct Sum {
  __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

struct Scratch {
  std::uint8_t *keys, *weights, *found;
  std::uint32_t *sums, *runs;
  void* library;
};

__global__ void bring_out(Scratch s, std::uint32_t* bins) {
  if (threadIdx.x < *s.runs) bins[s.found[threadIdx.x]] = s.sums[threadIdx.x];
}

}  // namespace

void histogram(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins, std::size_t n,
               cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, 256 * sizeof(std::uint32_t), stream);
  if (n == 0) return;
  static char* memory = nullptr;
  static std::size_t has = 0;
  Scratch s{};
  std::size_t sort = 0, reduce = 0;
  const auto run_sort = [&] {
    cub::DeviceRadixSort::SortPairs(s.library, sort, x, s.keys, w, s.weights, n, 0, 8, stream);
  };
  const auto run_reduce = [&] {
    cub::DeviceReduce::ReduceByKey(s.library, reduce, s.keys, s.found, s.weights, s.sums, s.runs, Sum{}, n,
                                   stream);
  };
  run_sort();  // without scratch memory they say how much they need
  run_reduce();
  const std::size_t column = (n + 255) / 256 * 256,
                    needs = 4096 + 2 * column + (sort > reduce ? sort : reduce);
  if (needs > has) {
    cudaFree(memory);
    cudaMalloc(&memory, has = needs);
  }
  s.sums = reinterpret_cast<std::uint32_t*>(memory);
  s.runs = s.sums + 256;
  s.found = reinterpret_cast<std::uint8_t*>(memory + 2048);
  s.keys = reinterpret_cast<std::uint8_t*>(memory + 4096);
  s.weights = s.keys + column;
  s.library = s.weights + column;
  run_sort();
  run_reduce();
  bring_out<<<1, 256, 0, stream>>>(s, bins);
}
