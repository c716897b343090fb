// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// y = residual + dropout(gelu(x + bias)) in four kernels, each with 16-byte accesses: nine tensor passes
/// where one kernel needs three. An honest version of what a framework without fusion runs.
///
/// columns is a multiple of 4; y holds the values in between. Dropout as in labs/03-fusion/residual.h.
void unfused_roof(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                  std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                  cudaStream_t stream);
