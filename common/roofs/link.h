// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Copies between pinned host memory and the device in chunks of `chunk` floats, each direction in a stream
/// of its own. `in` chunks go to the device, into y, where element i becomes link_value(i); `out` chunks go
/// from x to the host. With both, chunk k of either direction is under way at a time. echo[k] becomes the
/// first element of x's chunk k, as it arrived on the host.
void link_roof(const float* x, float* y, float* echo, std::size_t in, std::size_t out, std::size_t chunk,
               cudaStream_t stream);

/// What host memory holds: different in every element of a chunk, and exact.
inline float link_value(std::size_t i) { return static_cast<float>(i % 16777213); }
