// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstddef>

/// Each warp multiplies matrices that it keeps in registers, 16 x 32 by 32 x 8, `repeat` times, and adds the
/// products up in FP32: tile w of `sums` is repeat * left * (right_0 + ... + right_3)^T. Compute
/// capability 8.9 or above.
///
/// \param operands  device, 16 * 32 elements of left and 8 * 32 of each of four right matrices, row after row
/// \param sums      device, warps * 16 * 8 floats; warps is a multiple of 8
/// \param repeat    a multiple of 8
void mma_e4m3_roof(const __nv_fp8_e4m3* operands, float* sums, int repeat, std::size_t warps,
                   cudaStream_t stream);
