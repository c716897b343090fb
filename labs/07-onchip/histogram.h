// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// Lab 07, part C: how often each byte occurs.
///
///     bins[v] = how many of x[0], x[1] ... x[n - 1] are v        for v = 0, 1 ... 255
///
/// \param x     device, n bytes, at any address
/// \param bins  device, 256 counters at a multiple of 4 bytes. They hold anything before the call, and the
///              answer after it: for n = 0 all are 0
/// \param n     any number from 0 on, below 2^32
/// Calls follow each other in one stream.
void histogram(const std::uint8_t* x, std::uint32_t* bins, std::size_t n, cudaStream_t stream);
