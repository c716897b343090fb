// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part E: the sum of each row of a matrix.
///
///     y[r] = x[r][0] + x[r][1] + ... + x[r][columns - 1]
///
/// \param x        device, rows * columns floats, row after row
/// \param y        device, rows floats
/// \param rows     any number from 1 on
/// \param columns  any number from 1 on
void row_sums(const float* x, float* y, int rows, int columns, cudaStream_t stream);
