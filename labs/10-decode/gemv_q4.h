// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

/// Lab 10, part A: a matrix of 4-bit weights times a vector, what a language model does with each of its
/// matrices for each token that it generates.
///
///     y[r] = sum over c of  scales[r][c / 128] * q[r][c] * x[c]
///
/// rounded once, to the half that is stored. Before that the sum may be off by five roundings of a half of
/// the size that such a sum typically has, which is the root of the sum of the squares of its products: float
/// sums are far better, and up to eight products may be added in halves first.
///
/// \param w       device, rows x columns / 2 bytes, two weights q in each: byte i of a row has column 2 i in
///                its low four bits and column 2 i + 1 in its high four, from -8 to 7 in two's complement
/// \param scales  device, rows x columns / 128 halves: one for 128 neighbouring weights of a row
/// \param x       device, columns halves, of at most 1000 in absolute value
/// \param y       device, rows halves; does not overlap the others
/// \param rows    from 0 to 2^30; w may be larger than 2^31 bytes
/// \param columns a multiple of 128, from 128 to 16384
/// All pointers are multiples of 16 bytes.
void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream);
