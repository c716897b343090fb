// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part H: a matrix without the means of its rows and columns.
///
///     y[r][c] = x[r][c] - mean of row r - mean of column c
///
/// \param x        device, rows * columns floats, row after row
/// \param y        device, rows * columns floats
/// \param scratch  device, rows + columns floats for what you like, never cleared
/// \param rows     any number from 1 on
/// \param columns  any number from 1 on
/// \param stream   when the work in it is done, so is y
void centre(const float* x, float* y, float* scratch, int rows, int columns, cudaStream_t stream);
