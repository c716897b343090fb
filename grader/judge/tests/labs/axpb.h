// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// y[i] = a * x[i] + b for i in [0, n).
void axpb(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream);
