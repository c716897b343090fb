// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "worker/refusal.h"

/// The backward pass of a network that several GPUs train together, each on data of its own. It takes the
/// place of a real one: each layer takes a time that can be chosen, and leaves gradients. Its kernels fill
/// less than a quarter of an A100's SMs.
namespace roofline::gradients {

inline constexpr unsigned kBlocks = 24, kThreads = 512, kChainThreads = 128;

/// One layer: the first block is time, a chain of so many fused multiply-adds, each of which waits for the
/// one before; the other blocks write what the layer's weights get, gradients[i] = scale * x[i].
///
/// \param x  what the forward pass has left for the layer, `n` floats
template <class = void>  // several files of a program may include it
__global__ void layer(const float* x, float* gradients, std::size_t n, float scale, float minus, int work) {
  constexpr int kAtOnce = 8;
  if (blockIdx.x == 0) {
    if (threadIdx.x >= kChainThreads) return;
    float v = static_cast<float>(threadIdx.x);
#pragma unroll 16
    for (int i = 0; i < work; ++i) v = fmaf(v, minus, 3.0F);
    if (v > 1e30F) gradients[0] = 0;  // never: minus is -1. Without a use the chain would be deleted.
    return;
  }
  const std::size_t all = std::size_t{gridDim.x - 1} * kThreads;
  std::size_t i = (blockIdx.x - 1) * std::size_t{kThreads} + threadIdx.x;
  for (; i + (kAtOnce - 1) * all < n; i += kAtOnce * all) {
    float got[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) got[k] = x[i + k * all];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) gradients[i + k * all] = scale * got[k];
  }
  for (; i < n; i += all) gradients[i] = scale * x[i];
}

/// One backward pass, from the last layer to the first.
class Backward {
 public:
  struct Options {
    std::vector<const float*> x;    ///< on each GPU: n floats, what the forward pass has left
    std::vector<float*> gradients;  ///< on each GPU: room for n floats
    std::size_t n;                  ///< weights of all layers
    int layers;
    float scale;
    int work;  ///< operations of each layer's chain
  };
  explicit Backward(Options options)
      : o_(std::move(options)), next_(o_.gradients.size(), o_.layers - 1), streams_(o_.gradients.size()) {}

  int gpus() const { return static_cast<int>(o_.gradients.size()); }
  int layers() const { return o_.layers; }
  /// Gradients of all layers together, on each GPU.
  std::size_t n() const { return o_.n; }
  /// Where the gradients of a layer begin: it has those from begin(layer) to begin(layer + 1), and the last
  /// layer's end at begin(layers()) = n. Later layers have more weights, as in many networks for pictures; a
  /// layer may have none.
  std::size_t begin(int layer) const {
    const auto squared = [](int k) { return static_cast<std::size_t>(k) * static_cast<std::size_t>(k); };
    return o_.n / squared(o_.layers) * squared(layer) +
           o_.n % squared(o_.layers) * squared(layer) / squared(o_.layers);
  }
  /// Whether any layer was launched.
  bool begun() const { return begun_; }
  /// Device pointer on this GPU, n() floats: layer after layer. Only layer() writes them.
  float* gradients(int gpu) const { return o_.gradients[static_cast<std::size_t>(gpu)]; }

  /// Launches one layer of one GPU's pass in `stream`, a stream of that GPU: its gradients are complete when
  /// this work has ended. From the last layer to the first, each once, and all layers of a GPU in one stream:
  /// anything else ends the call. Makes that GPU current.
  void layer(int gpu, int layer, cudaStream_t stream) {
    const auto at = static_cast<std::size_t>(gpu);
    if (gpu < 0 || at >= next_.size())
      refuse("GPU " + std::to_string(gpu) + " was asked for: there are " + std::to_string(next_.size()) +
             ", from 0");
    const std::string asked =
        "layer " + std::to_string(layer) + " of GPU " + std::to_string(gpu) + " was asked for";
    if (layer != next_[at])
      refuse(asked +
             (next_[at] < 0 ? ", and all layers were done"
                            : ", and layer " + std::to_string(next_[at]) + " is the next") +
             ": a backward pass goes from the last layer to layer 0, each once");
    if (layer < o_.layers - 1 && stream != streams_[at])
      refuse(asked + " in another stream than the layer before it, which it needs");
    streams_[at] = stream;
    --next_[at];
    begun_ = true;
    cudaSetDevice(gpu);
    gradients::layer<>
        <<<kBlocks, kThreads, 0, stream>>>(o_.x[at] + begin(layer), o_.gradients[at] + begin(layer),
                                           begin(layer + 1) - begin(layer), o_.scale, -1.0F, o_.work);
  }

 private:
  [[noreturn]] static void refuse(const std::string& text) {
    throw worker::Refusal{worker::Refusal::Reason::kMisused, text};
  }

  Options o_;
  bool begun_ = false;
  std::vector<int> next_;              ///< the layer of each GPU whose turn it is
  std::vector<cudaStream_t> streams_;  ///< of each GPU's layer before
};

}  // namespace roofline::gradients
