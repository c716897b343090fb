// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// The chain of lab 06 forward and backward with every activation kept, and with `again` layers computed a
/// second time on the way back. `kept` has room for layers + 2 activations.
void chain_roof(const float* x, const float* weights, const float* dy, float* dx, float* dweights,
                float* kept, std::uint64_t seed, std::uint32_t threshold, float scale, int layers, int batch,
                int width, int again, cudaStream_t stream);
