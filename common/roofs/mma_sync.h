// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstddef>

/// Each warp multiplies 16x16 matrices that it keeps in registers, `repeat` times, and adds the products up
/// in FP32: tile w of `sums` is repeat * left * (right_0 + right_1 + right_2 + right_3).
///
/// \param operands  device, 5 * 256 halves: left and the four right matrices, row-major
/// \param sums      device, warps * 256 floats; warps is a multiple of 8
/// \param repeat    a multiple of 8
void mma_sync_roof(const half* operands, float* sums, int repeat, std::size_t warps, cudaStream_t stream);
