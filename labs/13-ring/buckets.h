// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gradients/backward.h"

using roofline::gradients::Backward;

/// Lab 13, part B: a backward pass on several GPUs, and the sums of its gradients, which are on their way
/// while it runs.
///
///     sums[g][i] = gradients(0)[i] + ... + gradients(gpus() - 1)[i]     for every GPU g and 0 <= i < n()
///
/// gradients/backward.h has the pass: layer(g, l, streams[g]) launches layer l on GPU g, from the last layer
/// to layer 0, and begin(l) says where its gradients are. As soon as at least `bucket` gradients have come
/// together, whole layers of them, their sum begins; what is left when layer 0 is done is the last bucket.
/// All GPUs end with the same bits. GPU 0 is current when the function is called.
///
/// \param backward  the pass; each layer has to be launched once on each GPU, in streams[g]
/// \param sums      sums[g]: device pointer on GPU g, n() floats; what it holds at first means nothing
/// \param bucket    how many gradients fill a bucket, 1 or more: few in small cases, bucket_size(n(), alone)
///                  where the clock runs
/// \param streams   streams[g]: a stream of GPU g. What comes next in it reads sums[g] and overwrites
///                  gradients(g); the host waits for nothing. Streams and events that the function makes are
///                  destroyed before it returns.
void backward_and_sum(Backward& backward, float* const* sums, std::size_t bucket,
                      const cudaStream_t* streams);

/// What both take alone, as measured on the devices before the clock runs: a training program measures its
/// first steps.
struct Alone {
  double pass_us;  ///< the backward pass, in microseconds
  double sums_us;  ///< the bytes of a ring of all gradients, in microseconds, without the starts of its steps
};

/// Your choice: how many gradients make a bucket where the whole pass has n of them, on 4 GPUs.
std::size_t bucket_size(std::size_t n, const Alone& alone);
