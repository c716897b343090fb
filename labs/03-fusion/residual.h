// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "random/philox.h"

/// Lab 03, part B: the end of a transformer's feed-forward layer, on a row-major matrix of rows x columns
/// floats.
///
///     y[i] = residual[i] + dropout(gelu(x[i] + bias[i % columns]))       i = row * columns + column
///
/// gelu(v) = v/2 * (1 + erf(v / sqrt 2)). dropout keeps element i if keep(i, seed, threshold) and then
/// multiplies it by `scale`; otherwise it is 0.
///
/// \param x, residual  device, rows * columns floats; either may be the same pointer as y (in place)
/// \param bias         device, columns floats
/// \param y            device, rows * columns floats
/// \param threshold    element i is dropped if its random number is below it: probability threshold / 2^32
/// Pointers are multiples of 4 bytes, not necessarily of 16. rows may be 0.
void residual_block(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                    std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                    cudaStream_t stream);

/// Element i belongs to the random block i / 4 and uses its word i % 4. So neighbours share the work of a
/// block.
#ifdef __CUDACC__
__device__ inline bool keep(std::uint64_t i, std::uint64_t seed, std::uint32_t threshold) {
  return roofline::philox(seed, i / 4).word[i % 4] >= threshold;
}

__device__ inline float gelu(float v) { return 0.5F * v * (1.0F + erff(v * 0.70710678F)); }
#endif
