// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kDim = 128;  ///< d, elements of a query, a key and a value
constexpr int kMostHeads = 1024;
constexpr int kMostParts = 256;  ///< partial results of a head for which `scratch` has room

/// Lab 10, part B: attention for one token, over keys and values of all tokens before it (the KV cache). For
/// each head h, with c = h / (heads / kv_heads) the cache that it reads,
///
///     s[i]   = sum over j of q[h][j] * k[c][i][j] / sqrt(d)
///     out[h] = sum over i of exp(s[i] - m) * v[c][i] / sum over i of exp(s[i] - m),    m = largest s[i]
///
/// computed in float and rounded once, to the half that is stored.
///
/// \param q     device, heads x d halves
/// \param k, v  device, kv_heads x n x d halves
/// \param out   device, heads x d halves; does not overlap the others
/// \param heads, kv_heads  from 1 to kMostHeads; heads is a multiple of kv_heads
/// \param n     from 1: the token is in the cache itself; kv_heads * n * d may exceed 2^31
/// \param scratch  device, heads x kMostParts x (d + 2) floats for what you like; they hold anything
///                 at first, in every call
/// All pointers are multiples of 16 bytes. s may be large: several hundreds. Calls follow each other in one
/// stream.
void decode(const half* q, const half* k, const half* v, half* out, int heads, int kv_heads, int n,
            float* scratch, cudaStream_t stream);
