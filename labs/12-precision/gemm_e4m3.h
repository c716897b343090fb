// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

/// Lab 12, part B: a product of 8-bit floating-point numbers, with a scale for each row of A and each column
/// of B:
///
///     C[i][j] = scale_a[i] * scale_b[j] * sum over x of  A[i][x] * B[x][j]
///
/// rounded once, to the half that is stored. Sums are those of Tensor Cores with FP32 accumulators; they may
/// be as large as 10^8, what is stored is not.
///
/// \param a        device, m x k elements, row after row: element (i, x) is a[i * k + x]
/// \param b        device, *column after column*: element (x, j) is b[j * k + x]. k runs along memory in both
/// \param scale_a  device, m floats
/// \param scale_b  device, n floats
/// \param c        device, m x n halves, row after row, every one written
/// \param m,n,k    from 0; they need not be multiples of anything (k = 0 gives zeros)
void gemm_e4m3(const __nv_fp8_e4m3* a, const __nv_fp8_e4m3* b, const float* scale_a, const float* scale_b,
               half* c, int m, int n, int k, cudaStream_t stream);
