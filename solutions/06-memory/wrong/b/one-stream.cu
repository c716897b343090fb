// expect: too-slow
// bench: copies and kernels in one stream
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The copies are in the stream of the kernels: nothing runs beside them.

#include <algorithm>
#include <vector>

#include "swap.h"

using roofline::chain::backward;
using roofline::chain::Chain;
using roofline::chain::forward;

namespace {

constexpr int kOnDevice = 6;  // activations that the arena holds
constexpr int kStay = 4;      // of them beside two gradients

cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  return event;
}

}  // namespace

/// Activation k is the output of layer k - 1; 1 ... swapped leave the device.
struct Swap {
  int swapped = 0;
  float* host = nullptr;
  cudaStream_t out = nullptr, in = nullptr;
  std::vector<cudaEvent_t> computed, gone, back;  // activation k is there; has left; is there again
  std::vector<cudaEvent_t> used;                  // memory of activation k is free
};

Swap* swap_prepare(const Chain& chain) {
  auto* swap = new Swap;
  swap->swapped = std::max(0, chain.layers - kStay);
  cudaMallocHost(&swap->host, std::max(1, swap->swapped) * chain.activation_bytes());
  for (auto* events : {&swap->computed, &swap->gone, &swap->back, &swap->used})
    for (int k = 0; k <= chain.layers; ++k) events->push_back(make_event());
  return swap;
}

void swap_step(Swap* swap, const Chain& chain, Arena& arena, cudaStream_t stream) {
  const std::size_t n = chain.activation_elements(), bytes = chain.activation_bytes();
  const int layers = chain.layers;
  swap->out = swap->in = stream;
  std::vector<float*> on_device(static_cast<std::size_t>(layers) + 1);
  const auto at = [&](int k) -> const float* { return k == 0 ? chain.x : on_device[k]; };
  const auto make_room = [&](int k) {  // activation k has left before its memory is used again
    cudaStreamWaitEvent(stream, swap->gone[k]);
    arena.release(on_device[k]);
  };
  for (int k = 1; k <= layers; ++k) {
    if (k > kOnDevice) make_room(k - kOnDevice);
    on_device[k] = arena.allocate(n);
    forward(chain, k - 1, at(k - 1), on_device[k], chain.seed, stream);
    if (k > swap->swapped) continue;
    cudaEventRecord(swap->computed[k], stream);
    cudaStreamWaitEvent(swap->out, swap->computed[k]);
    cudaMemcpyAsync(swap->host + (k - 1) * n, on_device[k], bytes, cudaMemcpyDeviceToHost, swap->out);
    cudaEventRecord(swap->gone[k], swap->out);
  }
  for (int k = std::max(1, layers - kOnDevice + 1); k <= swap->swapped; ++k) make_room(k);
  float *const gradient = arena.allocate(n), *const scratch = arena.allocate(n);
  for (int k = layers - 1; k >= 0; --k) {
    if (k >= 1 && k <= swap->swapped) cudaStreamWaitEvent(stream, swap->back[k]);
    backward(chain, k, at(k), at(k + 1), k == layers - 1 ? chain.dy : gradient, scratch,
             k == 0 ? chain.dx : gradient, stream);
    arena.release(on_device[k + 1]);
    const int next = k + 1 - kStay;
    if (next < 1) continue;
    on_device[next] = arena.allocate(n);  // where activation k + 1 was
    cudaEventRecord(swap->used[k], stream);
    cudaStreamWaitEvent(swap->in, swap->used[k]);
    cudaMemcpyAsync(on_device[next], swap->host + (next - 1) * n, bytes, cudaMemcpyHostToDevice, swap->in);
    cudaEventRecord(swap->back[next], swap->in);
  }
}

void swap_release(Swap* swap) {
  for (auto* events : {&swap->computed, &swap->gone, &swap->back, &swap->used})
    for (const cudaEvent_t event : *events) cudaEventDestroy(event);
  cudaFreeHost(swap->host);
  delete swap;
}
