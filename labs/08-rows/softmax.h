// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

/// Lab 08, part A: each row of y is the softmax of the same row of x,
///
///     y[r][c] = exp(x[r][c] - m) / sum over k of exp(x[r][k] - m),     m = largest element of row r of x
///
/// computed in float and rounded once, to the half that is stored.
///
/// \param x     device, rows x columns halves, any value; row r begins at x + r * columns
/// \param y     device, rows x columns halves; does not overlap x
/// \param rows, columns  from 0; the number of elements may exceed 2^31
/// Both pointers are multiples of 2 bytes, not necessarily of more.
///
/// What the formula says holds for every value: an element of -inf has the probability 0; a row with a NaN or
/// with +inf, and a row in which all elements are -inf, is NaN as a whole (as in PyTorch). Other rows are not
/// affected.
void softmax(const half* x, half* y, int rows, int columns, cudaStream_t stream);
