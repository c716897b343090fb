// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 07, part A: y is x with rows and columns exchanged. Both lie row by row:
///
///     y[column * rows + row] = x[row * columns + column]
///
/// \param x  device, rows x columns floats
/// \param y  device, columns x rows floats; does not overlap x
/// rows and columns may be any number from 0 on, and rows * columns may exceed 2^31. Both pointers are
/// multiples of 4 bytes, not necessarily of 16.
void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream);
