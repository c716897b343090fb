// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// y[i] = a * x[i] + b for i in [0, n).
///
/// \param x  device, n floats; may be the same pointer as y (in place)
/// \param y  device, n floats
/// Both pointers are multiples of 4 bytes, not necessarily of 16. n may be 0 and may exceed 2^31.
void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream);
