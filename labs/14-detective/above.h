// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part G: how many of n numbers are greater than a limit.
///
///     *count = number of i with x[i] > limit
///
/// \param x      device, n floats
/// \param count  device, one integer; it holds anything at first, in every call
/// \param n      any number from 1 on
void above(const float* x, unsigned* count, std::size_t n, float limit, cudaStream_t stream);
