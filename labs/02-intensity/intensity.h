// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// The two coefficients of the repeated operation. -kAlpha makes every repeat flip the sign, so that a
/// skipped repeat shows; its size keeps values away from zero, from denormals and from a fixed point for 512
/// repeats.
inline constexpr float kAlpha = 0.9990234375f;  // 1 - 2^-10, exact in binary
inline constexpr float kBeta = 0.5f;

/// y[i] = f(f(...f(x[i]))) with f(v) = kBeta - kAlpha * v, applied `repeat` times, for i in [0, n).
///
/// \param x       device, n floats
/// \param y       device, n floats
/// \param repeat  1, 2, 4, 8, 16, 32, 64, 128, 256 or 512: fused multiply-adds an element
void intensity(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream);
