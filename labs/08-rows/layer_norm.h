// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

/// Lab 08, part B: layer normalisation. Each row of y is the same row of x, moved to mean 0 and scaled to
/// variance 1, then scaled and moved again, by a pair of numbers for each column:
///
///     y[r][c] = (x[r][c] - mean) / sqrt(variance + eps) * gamma[c] + beta[c]
///
///     mean = sum over k of x[r][k] / columns,   variance = sum over k of (x[r][k] - mean)^2 / columns
///
/// computed in float and rounded once, to the half that is stored.
///
/// \param x     device, rows x columns halves, any value; row r begins at x + r * columns
/// \param gamma, beta  device, columns halves
/// \param y     device, rows x columns halves; does not overlap the others
/// \param rows, columns  from 0; the number of elements may exceed 2^31
/// \param eps   positive: a row of equal elements has variance 0
/// All pointers are multiples of 2 bytes, not necessarily of more.
///
/// What the formula says holds for every value: a row with a NaN or an infinity is NaN as a whole (as in
/// PyTorch). Other rows are not affected.
void layer_norm(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
                cudaStream_t stream);
