// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

/// Lab 07, part C: the weights of each key, added up.
///
///     bins[v] = the sum of w[i] over all i with x[i] = v        for v = 0, 1 ... 255
///
/// \param x     device, n keys of one byte
/// \param w     device, n weights of one byte, 0 to 255
/// \param bins  device, 256 sums at a multiple of 4 bytes. They hold anything before the call, and the answer
///              after it: for n = 0 all are 0. Sums are modulo 2^32, as those of std::uint32_t are
/// \param n     any number from 0 on, below 2^32
/// x and w may begin at any address, both equally far behind a multiple of 16 bytes: they are the same rows
/// of two columns. Calls follow each other in one stream.
void histogram(const std::uint8_t* x, const std::uint8_t* w, std::uint32_t* bins, std::size_t n,
               cudaStream_t stream);
