// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part F: how restless each row of a matrix is.
///
///     y[r] = |x[r][1] - x[r][0]| + |x[r][2] - x[r][1]| + ...     0 where a row has one element
///
/// \param x        device, rows * columns floats, row after row
/// \param y        device, rows floats
/// \param rows     any number from 1 on
/// \param columns  any number from 1 on
void variation(const float* x, float* y, int rows, int columns, cudaStream_t stream);
