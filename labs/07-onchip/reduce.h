// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 07, part B: the sum and the greatest of n floats.
///
///     *sum = x[0] + x[1] + ... + x[n - 1]     0 where n is 0
///     *max = the greatest of them             -INFINITY where n is 0; NaN where one of them is NaN
///
/// The sum may be added up in any order, but a call with the same x gives the same bits, whichever block runs
/// first, and it is at most 64 * 2^-24 * (|x[0]| + ... + |x[n - 1]|) away from the exact one.
///
/// \param x        device, n floats
/// \param sum      device, one float
/// \param max      device, one float
/// \param n        any number from 0 on, also beyond 2^32
/// \param scratch  device, 8192 floats for what you like; they hold anything at first, in every call
/// All pointers are multiples of 4 bytes, not necessarily of 16. Calls follow each other in one stream.
void reduce(const float* x, float* sum, float* max, std::size_t n, float* scratch, cudaStream_t stream);
