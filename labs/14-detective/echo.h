// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 14, part C: a sound, and once more what was heard `lag` samples before.
///
///     y[i] = x[i] + strength * x[i - lag]     x[i] alone where i < lag
///
/// \param x    device, n floats
/// \param y    device, n floats
/// \param n    any number from 0 on
/// \param lag  any number from 1 on, also beyond n
void echo(const float* x, float* y, std::size_t n, std::size_t lag, float strength, cudaStream_t stream);
