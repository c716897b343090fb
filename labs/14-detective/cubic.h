// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part A: the value of a polynomial of degree three at n places.
///
///     y[i] = c0 + c1 * x[i] + c2 * x[i]^2 + c3 * x[i]^3
///
/// \param x   device, n floats
/// \param y   device, n floats
/// \param n   any number from 0 on
/// The coefficients are others in every call. Calls follow each other in one stream, and the host does not
/// wait in between.
void cubic(const float* x, float* y, std::size_t n, float c0, float c1, float c2, float c3,
           cudaStream_t stream);
