// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// y = x after `repeat` times v = 0.999 v + 0.001, a kernel each; n floats, n = 16384 are 64 KiB. The kernels
/// are the nodes of one graph in a straight line, instantiated when its arguments are first seen.
void graph_node_roof(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream);
