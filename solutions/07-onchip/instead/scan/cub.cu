// bench: CUB, ExclusiveSum
// needs: gpu
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The library's scan, which looks back, too. It asks for its own scratch memory.

#include <cub/device/device_scan.cuh>

#include "scan.h"

void scan(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch,
          cudaStream_t stream) {
  static void* memory = nullptr;
  static std::size_t has = 0;
  std::size_t needs = 0;
  cub::DeviceScan::ExclusiveSum(nullptr, needs, x, y, n, stream);
  if (needs > has) {
    cudaFree(memory);
    cudaMalloc(&memory, has = needs);
  }
  cub::DeviceScan::ExclusiveSum(memory, needs, x, y, n, stream);
}
