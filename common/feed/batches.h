// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "feed/pictures.h"

/// An epoch of batches on the host, and a step of training on the device that uses them up. The step stands
/// for a network: it takes a time that can be chosen, reads every byte of its batch, and leaves weights that
/// depend on the order of the batches.
namespace roofline::feed {

inline constexpr unsigned kStepThreads = 256, kThinkers = 256;

inline __device__ uint4 seen(uint4 weights, uchar4 pixels) {
  weights.x = weights.x * kForget + pixels.x + 1;
  weights.y = weights.y * kForget + pixels.y + 1;
  weights.z = weights.z * kForget + pixels.z + 1;
  weights.w = weights.w * kForget + pixels.w + 1;
  return weights;
}

inline __device__ uchar4 as_bytes(uchar4 pixels) { return pixels; }
inline __device__ uchar4 as_bytes(float4 v) {
  return make_uchar4(v.x * 64 + 128, v.y * 64 + 128, v.z * 64 + 128, v.w * 64 + 128);
}

/// Four weights a thread.
template <class Four>
__global__ void learn(uint4* weights, const Four* batch, int images, unsigned fours) {
  const unsigned at = blockIdx.x * kStepThreads + threadIdx.x;
  if (at >= fours) return;
  uint4 mine = weights[at];
  for (int i = 0; i < images; ++i)
    mine = seen(mine, as_bytes(batch[static_cast<std::size_t>(i) * fours + at]));
  weights[at] = mine;
}

/// A chain of so many fused multiply-adds, each of which waits for the one before: time without bytes.
template <class = void>  // several files of a program may include it
__global__ void think(uint4* weights, float minus, int operations) {
  float v = static_cast<float>(threadIdx.x);
#pragma unroll 16
  for (int i = 0; i < operations; ++i) v = fmaf(v, minus, 3.0F);
  if (v > 1e30F) weights->x = 0;  // never: minus is -1. Without a use the chain would be deleted.
}

/// The step on its own. `Four` is uchar4 for bytes, float4 for normalised floats.
template <class Four>
void train(std::uint32_t* weights, const void* batch, int images, std::size_t image_bytes, int work,
           cudaStream_t stream) {
  const auto fours = static_cast<unsigned>(image_bytes / 4);
  auto* all = reinterpret_cast<uint4*>(weights);
  learn<<<(fours + kStepThreads - 1) / kStepThreads, kStepThreads, 0, stream>>>(
      all, static_cast<const Four*>(batch), images, fours);
  think<><<<1, kThinkers, 0, stream>>>(all, -1.0F, work * images);
}

/// One pass over all pictures.
class Batches {
 public:
  struct Options {
    std::uint64_t seed;
    int images, batch;
    std::size_t image_bytes;  ///< a multiple of 4
    int work;                 ///< operations of the step's chain for each picture
    std::uint32_t* weights;   ///< device, image_bytes of them
  };
  explicit Batches(const Options& options) : o_(options) {}

  /// Batches of the epoch, the last of which may be short.
  int count() const { return (o_.images + o_.batch - 1) / o_.batch; }
  /// Pictures in batch i, from 0.
  int images(int i) const { return std::min(o_.batch, o_.images - i * o_.batch); }
  /// Bytes of batch i: pictures one after the other, the colours of a pixel beside each other.
  std::size_t bytes(int i) const { return static_cast<std::size_t>(images(i)) * o_.image_bytes; }

  /// Decodes batch i into host memory, on the CPU: bytes(i) bytes.
  void decode(int i, std::uint8_t* to) const {
    for (int k = 0; k < images(i); ++k)
      decode_picture(o_.seed, static_cast<std::uint64_t>(i) * o_.batch + k, o_.image_bytes,
                     to + static_cast<std::size_t>(k) * o_.image_bytes);
  }
  /// The same, and normalises it on the CPU: bytes(i) floats.
  void decode(int i, float* to) const {
    std::vector<std::uint8_t> raw(bytes(i));
    decode(i, raw.data());
    std::transform(raw.begin(), raw.end(), to, normalised);
  }

  /// One step of training on a batch of so many pictures in device memory, as kernels in `stream`: it
  /// normalises bytes itself, and also takes floats that decode() has normalised.
  void step(const std::uint8_t* batch, int images, cudaStream_t stream) const {
    train<uchar4>(o_.weights, batch, images, o_.image_bytes, o_.work, stream);
  }
  void step(const float* batch, int images, cudaStream_t stream) const {
    train<float4>(o_.weights, batch, images, o_.image_bytes, o_.work, stream);
  }

 private:
  Options o_;
};

}  // namespace roofline::feed
