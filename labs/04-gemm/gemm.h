// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

/// C = A * B. All matrices are row-major without gaps: element (i, j) of A is a[i * k + j]. Products and sums
/// are FP32: a half has 11 bits, and a sum of 4096 products kept in one would be wrong in the third digit.
///
/// \param a       device, m x k halves
/// \param b       device, k x n halves
/// \param c       device, m x n floats, every one written
/// \param m,n,k   from 0; no multiple of anything (K = 0 gives zeros)
void gemm(const half* a, const half* b, float* c, int m, int n, int k, cudaStream_t stream);
