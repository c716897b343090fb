// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 15: one training step of a transformer block, forward, backward and Adam.
///
/// With T = sequences * length tokens of C = width numbers, rows of matrices, forward is
///
///     a1 = norm(x) * gamma1                        norm: (x - mean) / sqrt(variance + kNormEpsilon), by row
///     q k v = a1 Wqkv                              T x C each, side by side: rows of 3 C
///     o = softmax(q k^T / 8) v                     for each sequence, and for each 64 columns: a head
///     x1 = x + o Wout
///     a2 = norm(x1) * gamma2
///     y = x1 + gelu(a2 Wup) Wdown                  gelu(u) = u / 2 (1 + erf(u / sqrt(2))); 4 C wide inside
///     loss = mean of (y - target)^2                over all T * C elements
///
/// Backward gives the gradient g of the loss for every parameter, and Adam changes each:
///
///     m = beta1 m + (1 - beta1) g
///     v = beta2 v + (1 - beta2) g^2
///     w -= rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
///     h = w, rounded to a half
///
/// Products multiply halves and add up floats. What else is kept as a half is up to you.

inline constexpr int kHeadSize = 64;
inline constexpr float kNormEpsilon = 1e-5F, kBeta1 = 0.9F, kBeta2 = 0.999F, kEpsilon = 1e-8F;

/// length and width are multiples of 64, the width is at most 256.
struct Shape {
  int sequences, length, width;
  int tokens() const { return sequences * length; }
  int heads() const { return width / kHeadSize; }
  int hidden() const { return 4 * width; }
};

/// All parameters, one tensor behind the other; matrices row after row, inputs x outputs, as in x W.
struct Parameters {
  float *w, *m, *v;  ///< device, count(shape) floats each: weights, and Adam's two means
  half* h;           ///< the weights as halves: right before each step, and a step leaves them right
};
/// Where the tensors of `Parameters` begin.
struct Offsets {
  std::size_t qkv, out, up, down;  ///< C x 3C, C x C, C x 4C, 4C x C
  std::size_t gamma1, gamma2;      ///< C each
  std::size_t count;               ///< of all

  explicit constexpr Offsets(std::size_t width)
      : qkv(0),
        out(3 * width * width),
        up(4 * width * width),
        down(8 * width * width),
        gamma1(12 * width * width),
        gamma2(gamma1 + width),
        count(gamma2 + width) {}
};

/// What is new in every step: data, and where training is.
struct Batch {
  const half *x, *target;  ///< device, T x C each; at another address in each step
  float* loss;             ///< device, where this step's loss goes
  float rate;              ///< of this step: it falls from step to step
  int t;                   ///< which step this is, at least 1
};

struct Model;  // yours: what create() makes and step() needs

/// Once, before any clock runs: memory, graphs. The arrays hold nothing yet, but they stay where they are.
Model* create(const Shape& shape, const Parameters& parameters, cudaStream_t stream);

/// One step. It need not wait for its end: the next one is asked for at once, with other data. Between two
/// steps all parameters may be replaced, as if training began again.
void step(Model* model, const Batch& batch, cudaStream_t stream);

/// Gives back what create() took. All work has ended.
void release(Model* model);
