// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part D: from one picture to another.
///
///     y[i] = a[i] + t * (b[i] - a[i])
///
/// \param a  device, n floats
/// \param b  device, n floats
/// \param y  device, n floats
/// \param n  any number from 0 on
void blend(const float* a, const float* b, float* y, std::size_t n, float t, cudaStream_t stream);
