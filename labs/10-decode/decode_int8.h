// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kDim = 128;  ///< d, elements of a query, a key and a value
constexpr int kMostHeads = 1024;
constexpr int kMostParts = 256;  ///< partial results of a head for which `scratch` has room

/// Lab 10, part C: attention for one token, as in part B, over a cache of signed bytes. Each token of a cache
/// has one scale for its key and one for its value. For each head h, with c = h / (heads / kv_heads) the
/// cache that it reads,
///
///     s[i]   = k_scales[c][i] * sum over j of q[h][j] * k[c][i][j] / sqrt(d)
///     w[i]   = exp(s[i] - m),    m = largest s[i]
///     out[h] = sum over i of w[i] * v_scales[c][i] * v[c][i] / sum over i of w[i]
///
/// computed in float and rounded once, to the half that is stored.
///
/// \param q     device, heads x d halves
/// \param k, v  device, kv_heads x n x d bytes, from -128 to 127
/// \param k_scales, v_scales  device, kv_heads x n halves, 0 or larger; 0 where a token's bytes are all 0, or
///                            are to count as 0
/// \param out   device, heads x d halves; does not overlap the others
/// \param heads, kv_heads  from 1 to kMostHeads; heads is a multiple of kv_heads
/// \param n     from 1: the token is in the cache itself; kv_heads * n * d may exceed 2^31
/// \param scratch  device, heads x kMostParts x (d + 2) floats for what you like; they hold anything
///                 at first, in every call
/// All pointers are multiples of 16 bytes; a cache's first scale is not, if n is odd. s may be large: several
/// hundreds. Calls follow each other in one stream.
void decode_int8(const half* q, const std::int8_t* k, const half* k_scales, const std::int8_t* v,
                 const half* v_scales, half* out, int heads, int kv_heads, int n, float* scratch,
                 cudaStream_t stream);
