// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// y = x after `repeat` steps v = fma(v, 0.999f, 0.001f) in registers; repeat is a multiple of 64.
void fma_roof(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream);
