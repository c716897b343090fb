// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// Lab 07, part D: the running sum of n numbers, exclusive: each element gets the sum of those before it.
///
///     y[0] = 0
///     y[i] = x[0] + x[1] + ... + x[i - 1]        modulo 2^32, as unsigned numbers add
///
/// \param x        device, n numbers
/// \param y        device, n numbers; does not overlap x
/// \param n        any number from 0 on, also beyond 2^31
/// \param scratch  device, n / 1024 + 1024 words of 8 bytes for what you like, at a multiple of 8 bytes; they
///                 hold anything at first, in every call
/// x and y are multiples of 4 bytes, not necessarily of 16. Calls follow each other in one stream.
void scan(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch,
          cudaStream_t stream);
