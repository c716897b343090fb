// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include "arena.h"
#include "chain/layer.h"

/// Lab 06, part B: one training step of a chain of layers with memory for six activations: the others wait in
/// host memory.
///
/// What you need for every step (host memory, streams, events) is made once and used again.
struct Swap;

/// Called once for a shape, before its first step. chain.layers, batch and width hold, its pointers do not.
Swap* swap_prepare(const roofline::chain::Chain& chain);

/// Writes chain.dx and all of chain.dweights, with the bits that keeping every activation would give. Kernels
/// go into `stream`, and all the work must be done when the work in `stream` is: `stream` waits for the
/// copies.
///
/// \param arena  six activations of chain.activation_elements() floats. It is all the device memory there is
///               beside the arrays of `chain`.
void swap_step(Swap* swap, const roofline::chain::Chain& chain, Arena& arena, cudaStream_t stream);

/// Gives back what swap_prepare() made. The device is idle.
void swap_release(Swap* swap);
