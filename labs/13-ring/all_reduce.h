// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// Lab 13, part A: the sum of what several GPUs hold, on all of them.
///
///     y[g][i] = x[0][i] + x[1][i] + ... + x[gpus - 1][i]     for every GPU g and 0 <= i < n
///
/// All GPUs end with the same bits. Each GPU's kernels may read and write the others' memory, and
/// cudaMemcpyPeerAsync copies between any two; cudaSetDevice says for which GPU the next kernel, stream or
/// event is. GPU 0 is current when the function is called.
///
/// x is ready on all GPUs when the function is called. y[g] may be changed once the work in all streams is
/// done, for a neighbour may still read it.
///
/// \param x        x[g]: device pointer on GPU g, n floats, at any multiple of 4 bytes; never changed
/// \param y        y[g]: device pointer on GPU g, n floats; what it holds at first means nothing
/// \param gpus     how many there are: 4 in every grade
/// \param n        number of elements on each; any size, 0 and fewer than there are GPUs included
/// \param streams  streams[g]: a stream of GPU g. All work must be done when the work in these streams is;
///                 the host waits for none of it
void all_reduce(const float* const* x, float* const* y, int gpus, std::size_t n, const cudaStream_t* streams);
