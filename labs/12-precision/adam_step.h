// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// Lab 12, part A: a step of Adam in mixed precision. Gradients are halves and come multiplied by a scale;
/// weights and both moments are floats, and the weights are left behind as halves, too, for the next pass
/// through the network. For each parameter
///
///     g = gradient / scale
///     m = beta1 m + (1 - beta1) g                      the mean of gradients
///     v = beta2 v + (1 - beta2) g^2                    the mean of their squares
///     weight -= rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
///     half_weight = weight, rounded
///
/// where t counts the steps that were done, this one included. If any gradient of a step is infinite or not a
/// number, the scale was too large: then no weight and no moment changes, none at all, t does not count the
/// step, and the scale is halved. After `interval` steps in a row without that, it is doubled.

/// One tensor of parameters. Its gradients begin at `offset` of the buffer that a step gets.
struct Tensor {
  float *weight, *m, *v;  ///< device, `size` floats each
  half* half_weight;      ///< device, `size` halves
  std::size_t offset, size;
};
/// Tensors follow each other without gaps: an array begins anywhere. But what belongs to a parameter is at
/// the same distance from an aligned address: where its gradient is at a multiple of 8 bytes, its weight, m
/// and v are at multiples of 16.

/// In device memory; the host never reads it.
struct Scaler {
  float scale;         ///< what gradients are multiplied by
  std::uint32_t good;  ///< steps without an overflow since the scale changed, or since the last overflow
  std::uint32_t step;  ///< steps that were done: t of the last one
};

struct Adam {
  float rate, beta1, beta2, epsilon;
  std::uint32_t interval;  ///< good steps in a row that double the scale
};

struct Optimizer;  // yours: what adam_prepare() makes and adam_step() needs

/// Once, before any clock runs. The arrays hold nothing yet, but they stay where they are.
/// \param tensors  on the host, `count` of them; about 200 when it is timed, from 1 element to some 100000
Optimizer* adam_prepare(const Tensor* tensors, int count, cudaStream_t stream);

/// One step of all tensors, at most three launches. It need not wait for its end: the next step may be asked
/// for before this one has begun, and the host never learns whether there was an overflow. A step without any
/// parameters is a good one, and the scaler counts it.
/// \param gradients  device, halves, `scale` times as large as they are; new in each step
/// \param scaler     device; its scale is that of these gradients
void adam_step(Optimizer* optimizer, const half* gradients, Scaler* scaler, const Adam& adam,
               cudaStream_t stream);

/// Gives back what adam_prepare() took.
void adam_release(Optimizer* optimizer);
