// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

#include "expression.h"

/// Lab 03, part C: a fusing compiler for elementwise expressions.
///
/// y[i] = expression(inputs[0][i], inputs[1][i], ...) for i in [0, n), by one kernel that this function
/// writes, compiles with NVRTC when it sees the expression for the first time, and launches.
///
/// It is called with several expressions, with each several times, in any order and with new constants each
/// time. Compiling takes a hundred milliseconds; a launch takes microseconds.
///
/// \param inputs  host array of expression.inputs_used device pointers, n floats each
/// \param y       device, n floats; never one of the inputs
/// Pointers are multiples of 4 bytes, not necessarily of 16. n may be 0.
void evaluate(const Expression& expression, const float* const* inputs, float* y, std::size_t n,
              cudaStream_t stream);
