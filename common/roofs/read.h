// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// y[k] = x[4096 k] + ... + x[4096 k + 4095]: reads n floats, writes n / 4096 (rounded up).
void read_roof(const float* x, float* y, std::size_t n, cudaStream_t stream);
