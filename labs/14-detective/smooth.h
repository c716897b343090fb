// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part B: a curve of n points, smoothed several times.
///
/// One step replaces each point by (left + 2 * itself + right) / 4; at both ends the missing neighbour is the
/// point itself.
///
/// \param x        device, n floats, the curve; it stays as it is
/// \param y        device, n floats, the curve after `steps` steps
/// \param scratch  device, n floats for what you like; they hold anything at first, in every call
/// \param n        any number from 1 on
/// \param steps    any number from 1 on
void smooth(const float* x, float* y, float* scratch, std::size_t n, int steps, cudaStream_t stream);
