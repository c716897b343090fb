// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Copies round a ring of four GPUs, each from a GPU's memory to the next one's: `steps` of them one after
/// the other, on all GPUs at the same time. y has room for two chunks of `chunk` floats. In step s what GPU g
/// - 1 received in the step before, or x at first, becomes chunk s % 2 of y on GPU g.
void peer_ring_roof(const float* x0, const float* x1, const float* x2, const float* x3, float* y0, float* y1,
                    float* y2, float* y3, int steps, std::size_t chunk, cudaStream_t stream0,
                    cudaStream_t stream1, cudaStream_t stream2, cudaStream_t stream3);
