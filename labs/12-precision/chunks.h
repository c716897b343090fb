// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "adam_step.h"

/// A piece of a tensor: elements first to last - 1, at most kChunk of them. A block may take a chunk,
/// whichever tensor it belongs to, so one launch is enough for all. Given.
struct Chunk {
  std::uint32_t tensor, first, last;
};
constexpr std::uint32_t kChunk = 4096;

/// All tensors, cut into chunks. None is empty; tensors may be.
inline std::vector<Chunk> chunks_of(const Tensor* tensors, int count) {
  std::vector<Chunk> chunks;
  for (int t = 0; t < count; ++t)
    for (std::size_t first = 0; first < tensors[t].size; first += kChunk)
      chunks.push_back({std::uint32_t(t), std::uint32_t(first),
                        std::uint32_t(std::min<std::size_t>(first + kChunk, tensors[t].size))});
  return chunks;
}

/// `count` elements from the host in new device memory. It waits: for preparations only.
template <class T>
T* uploaded(const T* elements, std::size_t count, cudaStream_t stream) {
  T* memory = nullptr;
  cudaMalloc(&memory, std::max<std::size_t>(count, 1) * sizeof(T));
  cudaMemcpyAsync(memory, elements, count * sizeof(T), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
  return memory;
}

/// 1 - beta^t. 1 - powf(beta, t) has only 14 bits in the first steps, where beta^t is so close to 1.
__device__ inline float one_less_power(float beta, std::uint32_t t) {
  return -expm1f(float(t) * log1pf(-(1 - beta)));
}
