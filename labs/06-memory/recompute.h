// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include "arena.h"
#include "chain/layer.h"

/// Lab 06, part A: one training step of a chain of layers, with memory for about 2 sqrt(layers) activations.
///
/// Writes chain.dx and all of chain.dweights, with the bits that keeping every activation would give, by
/// calls of roofline::chain::forward and backward (chain/layer.h) on `stream`.
///
/// \param arena  1.1 * (2 * sqrt(layers) + 2) activations of chain.activation_elements() floats. It is all
/// the
///               device memory there is beside the arrays of `chain`.
void train_step(const roofline::chain::Chain& chain, Arena& arena, cudaStream_t stream);
