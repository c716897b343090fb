// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// The backward pass of common/gradients/backward.h on one GPU, alone: `layers` layers with n weights, each
/// with a chain of `work` operations.
void backward_roof(const float* x, float* gradients, std::size_t n, int layers, float scale, int work,
                   cudaStream_t stream);
