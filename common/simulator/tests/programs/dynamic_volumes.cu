// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Copies and fills of two and three dimensions in kernels: they keep their stream's order with launches, and
// touch nothing between the rows.
// nvcc: -rdc=true -lcudadevrt
#include <vector>

#include "expect.h"

constexpr size_t kWidth = 20, kHeight = 5, kDepth = 3, kPitch = 32, kFromPitch = 48, kRows = 6;

__global__ void add_one(unsigned char* bytes, size_t n) {
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) bytes[i]++;
}

__global__ void planes(unsigned char* to, unsigned char* from, int* results) {
  results[0] = cudaMemset2DAsync(from, kFromPitch, 7, kWidth, kHeight, cudaStream_t{});
  add_one<<<1, 32>>>(from, kFromPitch * kHeight);
  results[1] = cudaMemcpy2DAsync(to, kPitch, from, kFromPitch, kWidth, kHeight, cudaMemcpyDeviceToDevice,
                                 cudaStream_t{});
  add_one<<<1, 32>>>(from, kFromPitch * kHeight);
  results[2] = cudaMemcpy2DAsync(to, kWidth - 1, from, kFromPitch, kWidth, kHeight, cudaMemcpyDeviceToDevice,
                                 cudaStream_t{});  // rows would overlap
  results[3] =
      cudaMemcpy2DAsync(to, kPitch, from, kFromPitch, kWidth, 0, cudaMemcpyDeviceToDevice, cudaStream_t{});
}

__global__ void volumes(unsigned char* to, unsigned char* from, int* results) {
  results[0] = cudaMemset3DAsync(cudaPitchedPtr{from, kFromPitch, kWidth, kRows}, 9,
                                 cudaExtent{kWidth, kHeight, kDepth}, cudaStream_t{});
  cudaMemcpy3DParms p{};
  p.srcPtr = cudaPitchedPtr{from, kFromPitch, kWidth, kRows};
  p.srcPos = cudaPos{2, 1, 1};
  p.dstPtr = cudaPitchedPtr{to, kPitch, kWidth, kHeight};
  p.extent = cudaExtent{kWidth - 2, kHeight - 1, kDepth - 1};
  p.kind = cudaMemcpyDeviceToDevice;
  results[1] = cudaMemcpy3DAsync(&p, cudaStream_t{});
}

std::vector<unsigned char> contents(const unsigned char* from, size_t bytes) {
  std::vector<unsigned char> list(bytes);
  OK(cudaMemcpy(list.data(), from, bytes, cudaMemcpyDeviceToHost));
  return list;
}

int main() {
  constexpr size_t kFrom = kFromPitch * kRows * kDepth, kTo = kPitch * kHeight * kDepth;
  unsigned char *to = nullptr, *from = nullptr;
  int* results = nullptr;
  OK(cudaMalloc(&to, kTo));
  OK(cudaMalloc(&from, kFrom));
  OK(cudaMallocHost(&results, 4 * sizeof(int)));
  OK(cudaMemset(to, 1, kTo));
  OK(cudaMemset(from, 2, kFrom));
  planes<<<1, 1>>>(to, from, results);
  OK(cudaDeviceSynchronize());
  EXPECT(results[0] == cudaSuccess && results[1] == cudaSuccess && results[2] != cudaSuccess &&
         results[3] == cudaSuccess);
  auto copied = contents(to, kTo), filled = contents(from, kFrom);
  for (size_t i = 0; i < kTo; i++)
    EXPECT_VALUE(i / kPitch < kHeight && i % kPitch < kWidth ? 8 : 1, copied[i]);
  for (size_t i = 0; i < kFrom; i++)
    EXPECT_VALUE(i / kFromPitch >= kHeight ? 2 : i % kFromPitch < kWidth ? 9 : 4, filled[i]);

  OK(cudaMemset(to, 1, kTo));
  OK(cudaMemset(from, 2, kFrom));
  volumes<<<1, 1>>>(to, from, results);
  OK(cudaDeviceSynchronize());
  EXPECT(results[0] == cudaSuccess && results[1] == cudaSuccess);
  filled = contents(from, kFrom);
  for (size_t i = 0; i < kFrom; i++)
    EXPECT_VALUE(i % kFromPitch < kWidth && i / kFromPitch % kRows < kHeight ? 9 : 2, filled[i]);
  copied = contents(to, kTo);
  for (size_t i = 0; i < kTo; i++) {
    const size_t x = i % kPitch, y = i / kPitch % kHeight, z = i / kPitch / kHeight;
    EXPECT_VALUE(x < kWidth - 2 && y < kHeight - 1 && z < kDepth - 1 ? 9 : 1, copied[i]);
  }
  OK(cudaFree(to));
  OK(cudaFree(from));
  OK(cudaFreeHost(results));
}
