// expect: good
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The last segment is not computed again. The others are, with their ends, which are kept anyway.

#include <algorithm>
#include <cmath>
#include <vector>

#include "recompute.h"

using roofline::chain::backward;
using roofline::chain::Chain;
using roofline::chain::forward;

namespace {

class Step {
 public:
  Step(const Chain& chain, Arena& arena, cudaStream_t stream)
      : chain_(chain),
        arena_(arena),
        stream_(stream),
        segment_(std::max(1, static_cast<int>(std::lround(std::sqrt(chain.layers))))),
        activation_(static_cast<std::size_t>(chain.layers) + 1),
        last_segment_((chain.layers - 1) / segment_ * segment_) {}

  void run() {
    for (int k = 0; k < chain_.layers; ++k) {
      compute(k + 1);
      // Behind a kept one the activations go at once; those of the last segment are needed first.
      if (k <= last_segment_ && k % segment_ != 0) release(k);
    }
    gradient_ = arena_.allocate(chain_.activation_elements());
    scratch_ = arena_.allocate(chain_.activation_elements());
    for (int first = last_segment_; first >= 0; first -= segment_) back_through(first);
    arena_.release(gradient_);
    arena_.release(scratch_);
  }

 private:
  const float* at(int k) const { return k == 0 ? chain_.x : activation_[static_cast<std::size_t>(k)]; }

  void compute(int k) {
    float*& out = activation_[static_cast<std::size_t>(k)];
    out = arena_.allocate(chain_.activation_elements());
    forward(chain_, k - 1, at(k - 1), out, chain_.seed, stream_);
  }

  void release(int k) { arena_.release(activation_[static_cast<std::size_t>(k)]); }

  /// The layers first ... first + segment - 1, whose inputs begin with a kept activation.
  void back_through(int first) {
    const int end = std::min(first + segment_, chain_.layers);
    if (first != last_segment_) {
      release(end);
      for (int k = first + 1; k <= end; ++k) compute(k);
    }
    for (int k = end - 1; k >= first; --k) {
      backward(chain_, k, at(k), at(k + 1), k == chain_.layers - 1 ? chain_.dy : gradient_, scratch_,
               k == 0 ? chain_.dx : gradient_, stream_);
      release(k + 1);
    }
  }

  const Chain& chain_;
  Arena& arena_;
  cudaStream_t stream_;
  int segment_;
  std::vector<float*> activation_;  ///< [k]: output of layer k - 1
  int last_segment_;                ///< its first layer
  float *gradient_ = nullptr, *scratch_ = nullptr;
};

}  // namespace

void train_step(const Chain& chain, Arena& arena, cudaStream_t stream) { Step(chain, arena, stream).run(); }
