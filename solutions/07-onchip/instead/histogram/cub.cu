// bench: CUB, HistogramEven
// needs: gpu
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The library's histogram of equal ranges: 257 boundaries from 0 to 256. It asks for its own scratch memory.

#include <cub/device/device_histogram.cuh>

#include "histogram.h"

void histogram(const std::uint8_t* x, std::uint32_t* bins, std::size_t n, cudaStream_t stream) {
  static void* memory = nullptr;
  static std::size_t has = 0;
  const auto run = [&](void* scratch, std::size_t& bytes) {
    cub::DeviceHistogram::HistogramEven(scratch, bytes, x, bins, 257, 0, 256, static_cast<long long>(n),
                                        stream);
  };
  std::size_t needs = 0;
  run(nullptr, needs);
  if (needs > has) {
    cudaFree(memory);
    cudaMalloc(&memory, has = needs);
  }
  run(memory, needs);
}
