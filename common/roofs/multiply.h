// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// y = x after `repeat` steps v = 0.999f * v in registers; repeat is a multiple of 64. One FLOP an
/// instruction, so half of what the FMA roof reaches: the top of a multiply-only loop.
void multiply_roof(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream);
