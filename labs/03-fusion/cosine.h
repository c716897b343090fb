// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 03, part A: y[i] = cosf(cosf(x[i])) for i in [0, n).
///
/// \param x  device, n floats; may be the same pointer as y (in place)
/// \param y  device, n floats
/// Both pointers are multiples of 4 bytes, not necessarily of 16. n may be 0.
void cosine_twice(const float* x, float* y, std::size_t n, cudaStream_t stream);
