// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

/// Elements of a query, of a key and of a value. Fixed, as in most models: 64 or 128.
constexpr int kHeadSize = 64;

/// Lab 11: attention. For every head and every row i of it,
///
///     s[j] = (sum over c of  q[i][c] * k[j][c]) / 8          8 = sqrt(kHeadSize)
///     p[j] = exp(s[j]) / (sum over all j of exp(s[j]))
///     o[i][c] = sum over j of  p[j] * v[j][c]                rounded once, to the half that is stored
///
/// over j from 0 to n - 1; where it is causal, from 0 to i. Scores may be any size that float holds. All sums
/// are float sums; p may be rounded to halves before it is multiplied by v, as Tensor Cores need it.
///
/// \param q,k,v   device, heads x n x kHeadSize halves, without gaps, at multiples of 16 bytes
/// \param o       device, the same shape, every element written; does not overlap the others
/// \param heads,n from 0; n need not be a multiple of anything
/// \param causal  whether row i sees the keys 0 to i alone
void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream);
